package dev.weir.console.internal.control;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.slf4j.LoggerFactory;

/**
 * Levels of loggers of {@code java.util.logging}, where {@link System.Logger} ends unless told otherwise. Thread-safe.
 */
final class LogLevels {

    private static final Map<String, Level> LEVELS = Map.of(
            "OFF", Level.OFF,
            "ERROR", Level.SEVERE,
            "WARN", Level.WARNING,
            "WARNING", Level.WARNING,
            "INFO", Level.INFO,
            "DEBUG", Level.FINE,
            "TRACE", Level.FINER,
            "ALL", Level.ALL);

    /** Held, as a logger that nobody holds forgets its level. */
    private final Map<String, Logger> changed = new ConcurrentHashMap<>();

    void set(String name, String level) throws Refused {
        Level wanted = LEVELS.get(level.toUpperCase(Locale.ROOT));
        if (wanted == null) {
            throw new Refused("a log level is one of off, error, warn, info, debug, trace, all: " + level);
        }
        String backend = System.LoggerFinder.getLoggerFinder().getClass().getName();
        if (!backend.startsWith("jdk.") && !backend.startsWith("sun.")) {
            throw elsewhere(backend);
        }
        // Weir's Kafka side and Kafka's clients log by SLF4J.
        String facade = LoggerFactory.getILoggerFactory().getClass().getName();
        if (!facade.startsWith("org.slf4j.jul.")) {
            throw elsewhere(facade);
        }
        changed.computeIfAbsent(name, Logger::getLogger).setLevel(wanted);
    }

    private static Refused elsewhere(String backend) {
        return new Refused("this application does not log through java.util.logging but through " + backend
                + ": change the level there");
    }
}
