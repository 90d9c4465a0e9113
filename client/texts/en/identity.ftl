# The identity of the player: a secret by which servers recognise the same player on each device.
identity-heading = Your identity. Anyone who has this text plays as you:
identity-hint = On another device: noughts identity import, or the settings of the page.
identity-prompt = Text of the other device:
identity-imported = The identity is imported.

# The text of the identity that an imported one has replaced.
former-identity = It replaces { $text }.

# The command that forgets the identity asks first. The answer that agrees is the text identity-yes.
identity-question = Forget the identity? Without a copy of its text it is lost. To forget it, answer { $yes }:
identity-yes = yes
identity-kept = The identity is kept.
identity-absent = There is no identity.
identity-forgotten = The identity is forgotten. The next start draws a new one.
forgotten-identity = The text of the identity is { $text }.

alias-added = { $address } has the identity of { $server }.
identity-usage = usage: noughts identity show | import | forget | alias ADDRESS SERVER
cannot-use-identity = cannot read or write the identity
no-state-folder = There is no folder for the identity: name one with --state-dir.

# Reported when the player is a guest because of a failure.
identity-not-read = You play as a guest: cannot read your identity ({ $why }).

# The server is also reached under another address, where it knows the player.
other-address = This server seems to be { $address } too, where you have another tag. If you trust it with your secret of { $address }, be one player: noughts identity alias { $server } { $address }

# A game that the player can continue on this device.
game-on-another-device = Your game in room { $room }
