package dev.weir.testkit.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.FileHandler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Copies Kafka's log in this JVM to a file if slf4j is bound to java.util.logging. Other bindings have their own
 * configuration. Opened and closed by one thread.
 */
public final class LogCapture implements AutoCloseable {
    private static final String JUL_BINDING = "org.slf4j.jul.JDK14LoggerFactory";

    // The log manager references loggers only weakly. A logger that is garbage-collected loses its handler.
    private final List<Logger> loggers = List.of(Logger.getLogger("kafka"), Logger.getLogger("org.apache.kafka"));
    private final FileHandler handler;

    private LogCapture(FileHandler handler) {
        this.handler = handler;
        loggers.forEach(logger -> logger.addHandler(handler));
    }

    /** Starts copying the log to the file. Returns null if slf4j is not bound to java.util.logging. */
    public static @Nullable LogCapture to(Path file) {
        if (!LoggerFactory.getILoggerFactory().getClass().getName().equals(JUL_BINDING)) {
            return null;
        }
        try {
            FileHandler handler = new FileHandler(file.toString().replace("%", "%%"), true);
            handler.setFormatter(new SimpleFormatter());
            handler.setLevel(Level.INFO);
            return new LogCapture(handler);
        } catch (IOException e) {
            throw new UncheckedIOException("log file of the cluster cannot be written: " + file, e);
        }
    }

    @Override
    public void close() {
        loggers.forEach(logger -> logger.removeHandler(handler));
        handler.close();
    }
}
