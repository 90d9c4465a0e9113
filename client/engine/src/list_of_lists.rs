//! Lists by cell.

/// Lists of varying length in one allocation.
#[derive(Clone, Debug)]
pub(crate) struct ListOfLists<T> {
    starts: Box<[u32]>,
    items: Box<[T]>,
}

impl<T: Copy> ListOfLists<T> {
    pub(crate) fn new(lists: &[Vec<T>]) -> ListOfLists<T> {
        let mut starts = vec![0];
        let mut items = Vec::new();
        for list in lists {
            items.extend_from_slice(list);
            starts.push(items.len() as u32);
        }
        ListOfLists {
            starts: starts.into(),
            items: items.into(),
        }
    }

    pub(crate) fn get(&self, index: u16) -> &[T] {
        let index = usize::from(index);
        &self.items[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}
