//! Requests that a server on this machine gets, read with as little work as will do.

use anyhow::Context as _;
use std::borrow::Cow;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Largest request.
const MOST: usize = 256 << 10;
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

/// Requests of one connection.
pub struct Posts {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// Bytes of the request that was given last.
    given: usize,
}

/// A request: its first line and headers, and its body.
pub struct Post<'p> {
    pub head: Cow<'p, str>,
    pub body: &'p [u8],
}

/// Opens a server that gives each of its connections to `talk`; it ends with the runtime.
///
/// # Errors
/// There is no port.
pub async fn listen<F>(talk: impl Fn(Posts) -> F + Send + 'static) -> anyhow::Result<SocketAddr>
where
    F: Future<Output = anyhow::Result<()>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "a connection of a receiver ended");
                continue;
            }
            let talking = talk(Posts {
                stream,
                buffer: Vec::new(),
                given: 0,
            });
            tokio::spawn(async move {
                if let Err(error) = talking.await {
                    tracing::debug!(%error, "a connection of a receiver ended");
                }
            });
        }
    });
    Ok(address)
}

impl Posts {
    /// The next request; None: the other side has closed.
    ///
    /// # Errors
    /// It has no length, is too large or is cut.
    pub async fn next(&mut self) -> anyhow::Result<Option<Post<'_>>> {
        self.buffer.drain(..self.given);
        self.given = 0;
        let end = loop {
            if let Some(at) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            anyhow::ensure!(self.buffer.len() < MOST, "too much");
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        };
        let length: usize = {
            let head = String::from_utf8_lossy(&self.buffer[..end]);
            let length = header(&head, "content-length").context("no length")?;
            length.parse()?
        };
        anyhow::ensure!(length <= MOST, "too much");
        while self.buffer.len() < end + length {
            anyhow::ensure!(self.stream.read_buf(&mut self.buffer).await? > 0, "cut");
        }
        self.given = end + length;
        let (head, rest) = self.buffer.split_at(end);
        Ok(Some(Post {
            head: String::from_utf8_lossy(head),
            body: &rest[..length],
        }))
    }

    /// Answers 200.
    ///
    /// # Errors
    /// The other side is gone.
    pub async fn answer(&mut self) -> anyhow::Result<()> {
        Ok(self.stream.write_all(ANSWER).await?)
    }
}

/// The value of a header.
pub fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let found = lines.find(|(given, _)| given.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn requests_of_a_connection_are_read_one_by_one() {
        let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let talk = move |mut posts: Posts| {
            let told = told.clone();
            async move {
                while let Some(post) = posts.next().await? {
                    told.send(String::from_utf8_lossy(post.body).into_owned())?;
                    posts.answer().await?;
                }
                anyhow::Ok(())
            }
        };
        let address = listen(talk).await.expect("a port");
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        let begun = b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nonePOST / HTTP/1.1\r\ncontent-length: 3\r\n\r\ntw";
        stream.write_all(begun).await.expect("written");
        assert_eq!(heard.recv().await.as_deref(), Some("one"));
        stream.write_all(b"o").await.expect("written");
        assert_eq!(heard.recv().await.as_deref(), Some("two"));
    }

    #[test]
    fn headers_have_any_case() {
        let head = "POST /avisos HTTP/1.1\r\nX-Webhook-Id: evt_1\r\n\r\n";
        assert_eq!(header(head, "x-webhook-id"), Some("evt_1"));
        assert_eq!(header(head, "x-webhook-attempt"), None);
    }
}
