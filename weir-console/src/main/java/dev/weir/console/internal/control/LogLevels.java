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

/** Sets logger levels of {@code java.util.logging}, the default of {@link System.Logger}. Thread-safe. */
final class LogLevels {

    private static final Map<String, Level> LEVELS = Map.of(
            "OFF", Level.OFF,
            "ERROR", Level.SEVERE,
            "WARN", Level.WARNING,
            "WARNING", Level.WARNING,
            "INFO", Level.INFO,
            "DEBUG", Level.FINE,
            "TRACE", Level.FINEST, // SLF4J traces at this level, System.Logger at FINER
            "ALL", Level.ALL);

    /** Maximum number of levels for unused loggers. {@link LogManager} keeps their names forever. */
    static final int MOST_UNKNOWN = 100;

    static final int MOST_NAME = 250;

    /** The only instance, because log levels apply to the whole process. */
    private static final LogLevels OF_PROCESS = new LogLevels();

    /** Loggers with changed levels, by name. A garbage-collected logger would lose its level. */
    private final Map<String, Logger> changed = new ConcurrentHashMap<>();

    private final ReentrantLock lock = new ReentrantLock();

    /** Names in {@link #changed} that the application did not use at that time. Guarded by the lock. */
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
        // Weir's Kafka modules and Kafka's clients log through SLF4J, so check its backend too.
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

    /** Accepts loggers in use, and a limited number of unused loggers. */
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

    /** Returns whether a logger has this name or is below it. */
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
