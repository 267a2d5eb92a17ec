//! Tables with one set of columns, which go by their names.

use super::fields::{Column, Places};
use crate::ImportError;
use crate::formats::{Columns, Item, Label, Options};

/// What one table is read by.
pub(super) trait Table {
    const COLUMNS: &'static [Column];

    /// Which of its kind the table of a file is: a state, a list, or empty.
    ///
    /// # Errors
    /// The file does not say it.
    fn scope(&mut self, _file: &str, _options: &Options) -> Result<String, ImportError> {
        Ok(String::new())
    }

    /// What a line says; the sentence why it is wrong. `field` gives the field of a
    /// column, by its place in [`Table::COLUMNS`].
    fn row<'f>(&mut self, field: &dyn Fn(usize) -> &'f str) -> Result<Item, String>;

    /// Rows that are made of several lines, once all of them were read.
    ///
    /// # Errors
    /// They cannot be stored.
    fn gathered(&mut self) -> Result<Vec<Item>, String> {
        Ok(Vec::new())
    }
}

/// The reader of a table.
pub(super) struct Named<T> {
    table: T,
    places: Places,
    scope: String,
    day: String,
}

impl<T: Table + Default> Named<T> {
    /// `day`: what the edition shows, `AAAA-MM-DD`.
    pub(super) fn new(day: &str) -> Named<T> {
        Named {
            table: T::default(),
            places: Places::default(),
            scope: String::new(),
            day: day.to_owned(),
        }
    }
}

impl<T: Table> Columns for Named<T> {
    fn is_header(&self, names: &[String]) -> bool {
        Places::fit(names, T::COLUMNS)
    }

    fn header(
        &mut self,
        file: &str,
        header: &[String],
        options: &Options,
    ) -> Result<String, ImportError> {
        self.places = Places::of(file, header, T::COLUMNS)?;
        self.scope = self.table.scope(file, options)?;
        Ok(self.scope.clone())
    }

    fn row(&mut self, fields: &[&str]) -> Result<Item, String> {
        self.table.row(&|column| self.places.field(fields, column))
    }

    fn gathered(&mut self) -> Result<Vec<Item>, String> {
        self.table.gathered()
    }

    fn label(&mut self) -> Label {
        Label {
            scope: self.scope.clone(),
            version: self.day.clone(),
            ..Label::default()
        }
    }
}
