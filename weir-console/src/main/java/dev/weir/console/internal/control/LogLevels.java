package dev.weir.console.internal.control;

import java.util.Enumeration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets the levels of loggers of {@code java.util.logging}, the default backend of {@link System.Logger}. Thread-safe.
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

    /**
     * The maximum number of loggers that can be configured although the application does not use them.
     * {@link LogManager} keeps a node for each of their names forever.
     */
    static final int MOST_UNKNOWN = 100;

    /** The maximum length of a logger's name. */
    static final int MOST_NAME = 250;

    /** The only instance. All consoles share it, because log levels apply to the whole process. */
    private static final LogLevels OF_PROCESS = new LogLevels();

    /**
     * The loggers whose levels were changed, by name. The strong references prevent the loggers from being
     * garbage-collected, in which case they would lose their levels.
     */
    private final Map<String, Logger> changed = new ConcurrentHashMap<>();

    private final ReentrantLock lock = new ReentrantLock();

    /** Names in {@link #changed} that the application was not using when their levels were set. Guarded by the lock. */
    private final Set<String> unknown = new HashSet<>();

    private LogLevels() {}

    static LogLevels ofProcess() {
        return OF_PROCESS;
    }

    void set(String name, String level) throws Refused {
        Level wanted = LEVELS.get(level.toUpperCase(Locale.ROOT));
        if (wanted == null) {
            throw new Refused("a log level is one of off, error, warn, info, debug, trace, all: " + level);
        }
        String backend = System.LoggerFinder.getLoggerFinder().getClass().getName();
        if (!backend.startsWith("jdk.") && !backend.startsWith("sun.")) {
            throw elsewhere(backend);
        }
        // Check the SLF4J backend too, because Weir's Kafka modules and Kafka's clients log through SLF4J.
        String facade = LoggerFactory.getILoggerFactory().getClass().getName();
        if (!facade.startsWith("org.slf4j.jul.")) {
            throw elsewhere(facade);
        }
        if (name.length() > MOST_NAME) {
            throw new Refused("the name of a logger has at most " + MOST_NAME + " characters: it has " + name.length());
        }
        admit(name);
        changed.computeIfAbsent(name, Logger::getLogger).setLevel(wanted);
    }

    /** Accepts the names of loggers that the application uses, and a limited number of other names. */
    private void admit(String name) throws Refused {
        lock.lock();
        try {
            if (unknown.contains(name) || isUsed(name)) {
                return;
            }
            if (unknown.size() == MOST_UNKNOWN) {
                throw new Refused("levels of " + MOST_UNKNOWN + " loggers that nothing logs through are set already:"
                        + " name a package above it, or a logger that has logged");
            }
            unknown.add(name);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether there is a logger with this name, or a logger below this name. */
    private static boolean isUsed(String name) {
        Enumeration<String> names = LogManager.getLogManager().getLoggerNames();
        String below = name + ".";
        while (names.hasMoreElements()) {
            String each = names.nextElement();
            if (each.equals(name) || each.startsWith(below)) {
                return true;
            }
        }
        return false;
    }

    private static Refused elsewhere(String backend) {
        return new Refused("this application does not log through java.util.logging but through " + backend
                + ": change the level there");
    }
}
