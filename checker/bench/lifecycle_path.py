"""Where the shipped lifecycle of the avatar lies. Imports nothing of lifespec, so that who asks stays small."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AVATAR = ROOT / "spec" / "lifecycles" / "avatar" / "avatar.lifespec"
