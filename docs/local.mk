# What the folder has that belongs to no layer.
EXTRA_DIST += %D%/architecture.md %D%/threat-model.md %D%/adding-a-command.md %D%/adding-a-driver.md %D%/policy.md %D%/releasing.md %D%/style.md
