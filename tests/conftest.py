import os

from hypothesis import settings

# No test may reach a real account, whatever the machine is set up for.
os.environ |= {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "ap-northeast-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}
for variable in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
    os.environ.pop(variable, None)

settings.register_profile("steady", deadline=None)  # a busy machine is no failure
settings.load_profile("steady")
