//! Words of the wire. Each word is defined once: `NOUGHTS_TEST_GOLDEN=write cargo test -p noughts-protocol` writes its
//! row in `README.md`, the schema, the types for TypeScript, the golden file and the constants of the browser page.

/// Defines an enum of words. The doc comment of a word is its row in the README: its meaning and, after an empty line,
/// the reaction of a client.
macro_rules! vocabulary {
    ($(#[$attribute:meta])+ $type:ident: $($(#[doc = $doc:literal])+ $variant:ident = $word:literal,)+) => {
        $(#[$attribute])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $type {
            $($(#[doc = $doc])+ #[serde(rename = $word)] $variant,)+
        }

        impl $type {
            /// All words, in the order of the README.
            pub const ALL: [$type; [$($word),+].len()] = [$($type::$variant),+];

            /// Returns the word on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $($type::$variant => $word,)+ }
            }

            /// Returns the lines of the doc comment.
            pub fn document(self) -> &'static [&'static str] {
                match self { $($type::$variant => &[$($doc),+],)+ }
            }
        }
    };
}

pub(super) use vocabulary;
