package dev.weir.kafka.internal.in.lookup;

import dev.weir.kafka.spi.Surroundings;
import dev.weir.kafka.spi.SurroundingsRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LocationAwareLogger;

/**
 * The log of a consumer's components. Writes to SLF4J, or to the log of a test harness that replaces Kafka.
 * Thread-safe.
 */
public final class ConsumerLog {

    private static final String CALLED = ConsumerLog.class.getName();

    private final Logger log;

    private ConsumerLog(Logger log) {
        this.log = log;
    }

    public static ConsumerLog of(Class<?> type) {
        return new ConsumerLog(LoggerFactory.getLogger(type));
    }

    public void debug(String format, @Nullable Object... arguments) {
        log(Level.DEBUG, format, arguments);
    }

    public void info(String format, @Nullable Object... arguments) {
        log(Level.INFO, format, arguments);
    }

    public void warn(String format, @Nullable Object... arguments) {
        log(Level.WARN, format, arguments);
    }

    private void log(Level level, String format, @Nullable Object... arguments) {
        Surroundings around = SurroundingsRegistry.current();
        if (around == null && !isEnabled(level)) {
            return;
        }
        FormattingTuple line = MessageFormatter.arrayFormat(format, arguments);
        String message = line.getMessage();
        if (around != null) {
            around.logged(level + " " + message);
        } else if (log instanceof LocationAwareLogger aware) {
            // CALLED makes logging frameworks report the caller of this class as the source.
            aware.log(null, CALLED, level.toInt(), message, null, line.getThrowable());
        } else {
            plain(level, message, line.getThrowable());
        }
    }

    private boolean isEnabled(Level level) {
        return switch (level) {
            case DEBUG -> log.isDebugEnabled();
            case INFO -> log.isInfoEnabled();
            default -> log.isWarnEnabled();
        };
    }

    private void plain(Level level, String message, @Nullable Throwable thrown) {
        switch (level) {
            case DEBUG -> log.debug(message, thrown);
            case INFO -> log.info(message, thrown);
            default -> log.warn(message, thrown);
        }
    }
}
