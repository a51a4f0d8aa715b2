package dev.weir.command.terminal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.ErrorManager;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;

/**
 * Appends log lines to a file. A file that would get too large is renamed to {@code FILE.1}, the previous
 * {@code FILE.1} to {@code FILE.2}, and so on; the oldest file is deleted. Each line is written immediately.
 * Thread-safe.
 */
final class RotatingHandler extends Handler {

    /** Maximum size of a file. A line beyond it starts the next file. */
    static final long MOST_BYTES = 16L << 20;

    /** Number of old files besides the current one. */
    static final int MOST_OLD = 4;

    private final Path file;
    private final long mostBytes;
    private final Opener opener;

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable OutputStream out;
    private long bytes;

    /** Opens a file for appending; creates it if necessary. */
    interface Opener {
        OutputStream open(Path file) throws IOException;
    }

    RotatingHandler(Path file, Formatter formatter) throws IOException {
        this(file, formatter, MOST_BYTES);
    }

    RotatingHandler(Path file, Formatter formatter, long mostBytes) throws IOException {
        this(
                file,
                formatter,
                mostBytes,
                path -> Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    RotatingHandler(Path file, Formatter formatter, long mostBytes, Opener opener) throws IOException {
        this.file = file;
        this.mostBytes = mostBytes;
        this.opener = opener;
        setFormatter(formatter);
        open();
    }

    private void open() throws IOException {
        out = opener.open(file);
        // A pipe or a device has no maximum size.
        bytes = Files.isRegularFile(file) ? Files.size(file) : Long.MIN_VALUE;
    }

    @Override
    public void publish(LogRecord line) {
        if (!isLoggable(line)) {
            return;
        }
        byte[] text = getFormatter().format(line).getBytes(StandardCharsets.UTF_8);
        lock.lock();
        try {
            OutputStream open = out;
            if (open == null) {
                return;
            }
            if (bytes > 0 && bytes + text.length > mostBytes) {
                open = rotate(open);
            }
            open.write(text);
            bytes += text.length;
        } catch (IOException e) {
            reportError(null, e, ErrorManager.WRITE_FAILURE);
        } finally {
            lock.unlock();
        }
    }

    private OutputStream rotate(OutputStream full) throws IOException {
        try {
            // A failed rotation has already renamed the files. Renaming them again would only delete the oldest.
            if (Files.exists(file)) {
                renameFiles();
            }
            open();
        } catch (IOException e) {
            // Keep appending to this file, and rotate it after another mostBytes bytes.
            reportError("cannot rotate " + file, e, ErrorManager.GENERIC_FAILURE);
            bytes = 0;
            return full;
        }
        full.close();
        return Objects.requireNonNull(out);
    }

    private void renameFiles() throws IOException {
        for (int i = MOST_OLD - 1; i >= 0; i--) {
            try {
                Files.move(old(i), old(i + 1), StandardCopyOption.REPLACE_EXISTING);
            } catch (NoSuchFileException e) {
                // This old file does not exist yet.
            }
        }
    }

    private Path old(int number) {
        return number == 0 ? file : file.resolveSibling(file.getFileName() + "." + number);
    }

    @Override
    public void flush() {
        // Nothing is buffered.
    }

    @Override
    public void close() {
        lock.lock();
        try {
            OutputStream open = out;
            out = null;
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            reportError(null, e, ErrorManager.CLOSE_FAILURE);
        } finally {
            lock.unlock();
        }
    }
}
