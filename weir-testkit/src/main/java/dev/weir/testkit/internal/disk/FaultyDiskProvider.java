package dev.weir.testkit.internal.disk;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * The default file system provider of a JVM. Delegates to the JDK's own provider, except for files below
 * {@link DiskFaults#DIRECTORY} that are opened for writing. Thread-safe.
 */
public final class FaultyDiskProvider extends FileSystemProvider {
    private final FileSystemProvider real;
    private final FaultyFileSystem fileSystem;
    private final Path directory; // belongs to the JDK's own file system

    /** Creates the provider that replaces {@code real}. Called by the JDK. */
    public FaultyDiskProvider(FileSystemProvider real) {
        this.real = real;
        this.fileSystem = new FaultyFileSystem(this, real.getFileSystem(URI.create("file:///")));
        this.directory = absolute(fileSystem.real(System.getProperty(DiskFaults.DIRECTORY, "")));
    }

    private static Path absolute(Path path) {
        return path.toAbsolutePath().normalize();
    }

    private static Path real(Path path) {
        return FaultyPath.real(path);
    }

    @Override
    public String getScheme() {
        return real.getScheme();
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) throws IOException {
        return real.newFileSystem(uri, environment);
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        real.getFileSystem(uri); // throws for any other path
        return fileSystem;
    }

    @Override
    public Path getPath(URI uri) {
        return fileSystem.faulty(real.getPath(uri));
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        FileChannel channel = real.newFileChannel(real(path), options, attributes);
        boolean appends = options.contains(StandardOpenOption.APPEND);
        boolean writes = appends || options.contains(StandardOpenOption.WRITE);
        return writes && absolute(real(path)).startsWith(directory) ? new FaultyChannel(channel, appends) : channel;
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public AsynchronousFileChannel newAsynchronousFileChannel(
            Path path,
            Set<? extends OpenOption> options,
            @Nullable ExecutorService executor,
            FileAttribute<?>... attributes)
            throws IOException {
        return real.newAsynchronousFileChannel(real(path), options, executor, attributes);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path path, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        DirectoryStream<Path> entries =
                real.newDirectoryStream(real(path), entry -> filter.accept(fileSystem.faulty(entry)));
        return new DirectoryStream<>() {
            @Override
            public Iterator<Path> iterator() {
                Iterator<Path> each = entries.iterator();
                return new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        return each.hasNext();
                    }

                    @Override
                    public Path next() {
                        return fileSystem.faulty(each.next());
                    }
                };
            }

            @Override
            public void close() throws IOException {
                entries.close();
            }
        };
    }

    @Override
    public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
        real.createDirectory(real(path), attributes);
    }

    @Override
    public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes) throws IOException {
        real.createSymbolicLink(real(link), real(target), attributes);
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        real.createLink(real(link), real(existing));
    }

    @Override
    public Path readSymbolicLink(Path link) throws IOException {
        return fileSystem.faulty(real.readSymbolicLink(real(link)));
    }

    @Override
    public void delete(Path path) throws IOException {
        real.delete(real(path));
    }

    @Override
    public boolean deleteIfExists(Path path) throws IOException {
        return real.deleteIfExists(real(path));
    }

    @Override
    public void copy(Path from, Path to, CopyOption... options) throws IOException {
        real.copy(real(from), real(to), options);
    }

    @Override
    public void move(Path from, Path to, CopyOption... options) throws IOException {
        real.move(real(from), real(to), options);
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        return real.isSameFile(real(path), real(other));
    }

    @Override
    public boolean isHidden(Path path) throws IOException {
        return real.isHidden(real(path));
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        return real.getFileStore(real(path));
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        real.checkAccess(real(path), modes);
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        return real.getFileAttributeView(real(path), type, options);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        return real.readAttributes(real(path), type, options);
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        return real.readAttributes(real(path), attributes, options);
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
        real.setAttribute(real(path), attribute, value, options);
    }
}
