"""Deploying the project's own stack to the embedded cloud, with the same `cdk` that deploys it to AWS."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import boto3
from botocore.exceptions import ClientError

from ops.embedded.cloud import ACCOUNT, CREDENTIALS, REGION, EmbeddedCloud
from ops.folders import PROJECT
from ops.trouble import Trouble

DEPLOY_SECONDS = 300
QUIETLY = ("--no-notices", "--no-color")


def is_bootstrapped(cloud: EmbeddedCloud) -> bool:
    """A cloud that was killed before it could save has forgotten that it was, so it is asked."""
    session = boto3.Session(CREDENTIALS, CREDENTIALS, region_name=REGION)
    try:
        session.client("cloudformation", endpoint_url=cloud.endpoint).describe_stacks(StackName="CDKToolkit")
    except ClientError:
        return False
    return True


def bootstrap(cloud: EmbeddedCloud, folder: Path) -> None:
    """Make what the CDK needs in an account before its first deployment.

    It runs away from the project: where it finds an app it would synthesize that first.
    """
    _cdk(cloud, folder, ["bootstrap", f"aws://{ACCOUNT}/{REGION}", *QUIETLY], folder)


def deploy(cloud: EmbeddedCloud, folder: Path) -> None:
    """Synthesize the stack and bring the cloud to it; a second deployment changes only what is different."""
    arguments = ["deploy", "--all", "-c", "embedded=true", "--output", str(folder / "cdk.out"), *QUIETLY]
    _cdk(cloud, folder, [*arguments, "--require-approval", "never", "--method", "direct"], PROJECT)


def _cdk(cloud: EmbeddedCloud, folder: Path, arguments: list[str], where: Path) -> None:
    command = PROJECT / "node_modules" / ".bin" / "cdk"
    if not command.exists():
        raise Trouble("The CDK is not installed: type `make setup` in the project's folder.")
    log = folder / "deploy.log"
    with log.open("w") as output, suppress(subprocess.TimeoutExpired):
        done = subprocess.run(
            [command, *arguments],
            cwd=where,
            env=_environment(cloud),
            stdout=output,
            stderr=output,
            timeout=DEPLOY_SECONDS,
            check=False,
        )
        if done.returncode == 0:
            return
    last_words = "\n".join(log.read_text().splitlines()[-15:])
    raise Trouble(f"`cdk {arguments[0]}` did not get through; its log is {log}, and ends with:\n{last_words}")


def _environment(cloud: EmbeddedCloud) -> dict[str, str]:
    """The embedded cloud in place of AWS, and Node as it was installed beside this Python."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return inherited | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "AWS_ENDPOINT_URL": cloud.endpoint,
        "AWS_ENDPOINT_URL_S3": cloud.endpoint,
        "AWS_ACCESS_KEY_ID": CREDENTIALS,
        "AWS_SECRET_ACCESS_KEY": CREDENTIALS,
        "AWS_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
        "CDK_DISABLE_CLI_TELEMETRY": "true",
    }
