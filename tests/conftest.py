from hypothesis import settings

settings.register_profile("steady", deadline=None)  # a busy machine is no failure
settings.load_profile("steady")
