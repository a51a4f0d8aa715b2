package dev.weir.testkit.internal.disk;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import org.jspecify.annotations.Nullable;

/** A path of the JDK's file system, except that its file is opened by a {@link FaultyDiskProvider}. Immutable. */
final class FaultyPath implements Path {
    private final FaultyFileSystem fileSystem;
    private final Path real;

    FaultyPath(FaultyFileSystem fileSystem, Path real) {
        this.fileSystem = fileSystem;
        this.real = real;
    }

    static Path real(Path path) {
        return path instanceof FaultyPath faulty ? faulty.real : path;
    }

    private Path faulty(Path other) {
        return new FaultyPath(fileSystem, other);
    }

    private @Nullable Path faultyOrNull(@Nullable Path other) {
        return other == null ? null : faulty(other);
    }

    @Override
    public FileSystem getFileSystem() {
        return fileSystem;
    }

    @Override
    public boolean isAbsolute() {
        return real.isAbsolute();
    }

    @Override
    public @Nullable Path getRoot() {
        return faultyOrNull(real.getRoot());
    }

    @Override
    public @Nullable Path getFileName() {
        return faultyOrNull(real.getFileName());
    }

    @Override
    public @Nullable Path getParent() {
        return faultyOrNull(real.getParent());
    }

    @Override
    public int getNameCount() {
        return real.getNameCount();
    }

    @Override
    public Path getName(int index) {
        return faulty(real.getName(index));
    }

    @Override
    public Path subpath(int from, int to) {
        return faulty(real.subpath(from, to));
    }

    @Override
    public boolean startsWith(Path other) {
        return real.startsWith(real(other));
    }

    @Override
    public boolean endsWith(Path other) {
        return real.endsWith(real(other));
    }

    @Override
    public Path normalize() {
        return faulty(real.normalize());
    }

    @Override
    public Path resolve(Path other) {
        return faulty(real.resolve(real(other)));
    }

    @Override
    public Path relativize(Path other) {
        return faulty(real.relativize(real(other)));
    }

    @Override
    public URI toUri() {
        return real.toUri();
    }

    @Override
    public Path toAbsolutePath() {
        return faulty(real.toAbsolutePath());
    }

    @Override
    public Path toRealPath(LinkOption... options) throws IOException {
        return faulty(real.toRealPath(options));
    }

    @Override
    public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
            throws IOException {
        return real.register(watcher, events, modifiers);
    }

    @Override
    public int compareTo(Path other) {
        return real.compareTo(real(other));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FaultyPath path && real.equals(path.real);
    }

    @Override
    public int hashCode() {
        return real.hashCode();
    }

    @Override
    public String toString() {
        return real.toString();
    }
}
