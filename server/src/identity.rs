//! The public id of a player who is recognised.

use noughts_protocol::{Identity, IdentitySecret, PlayerKind};
use ring::digest::{Context, SHA256};

/// Separates this use of the secret from other uses.
const DOMAIN: &[u8] = b"noughts identity";

/// Computes the id from the secret of a player. The kind is part of it, so that a bot cannot pose as a person.
pub(crate) fn identity_of(secret: IdentitySecret, kind: PlayerKind) -> Identity {
    let kind: &[u8] = match kind {
        PlayerKind::Person => b"person",
        PlayerKind::Bot => b"bot",
    };
    let mut context = Context::new(&SHA256);
    context.update(DOMAIN);
    context.update(kind);
    context.update(&secret.to_bytes());
    let digest = context.finish();
    let first_half = digest.as_ref().first_chunk();
    Identity::from_bytes(*first_half.expect("a digest of 32 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values were computed with `sha256sum`.
    #[test]
    fn the_id_is_the_first_half_of_the_digest_and_depends_on_the_kind() {
        let secret = IdentitySecret::from_bytes([0xab; 16]);
        let id = |bytes: u128| Identity::from_bytes(bytes.to_be_bytes());
        assert_eq!(
            [PlayerKind::Person, PlayerKind::Bot].map(|kind| identity_of(secret, kind)),
            [
                0xea97_ff7a_d191_cf11_1531_c5de_4b84_06e3,
                0x8175_9721_e36b_1b73_dddf_3f02_1404_985c
            ]
            .map(id)
        );
    }
}
