package dev.weir.lean.share;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects a class's warnings until it is closed. */
final class ScriptedLog extends Handler implements AutoCloseable {

    final List<String> warnings = new ArrayList<>();
    private final Logger logger;

    ScriptedLog(Class<?> of) {
        logger = Logger.getLogger(of.getName());
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
        if (line.getLevel() == Level.WARNING) {
            warnings.add(line.getMessage());
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
