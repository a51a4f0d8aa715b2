package dev.weir.command.terminal;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Configures logging for the libraries, whose slf4j and {@link System.Logger} output goes to java.util.logging. By
 * default the terminal shows only errors, and none of Kafka's: its client writes many lines about an unreachable
 * broker, which would hide Weir's message.
 */
public final class Logging {

    private Logging() {}

    /** Replaces the process's logging configuration. Call once, before the work starts. */
    public static void configure(boolean verbose, @Nullable Path file, Terminal terminal) {
        LogManager.getLogManager().reset();
        Logger root = Logger.getLogger("");
        Level terminalLevel = verbose ? Level.INFO : Level.SEVERE;
        root.setLevel(verbose || file != null ? Level.INFO : Level.SEVERE);
        Handler shown = terminalHandler(terminal, terminalLevel, new LineFormatter(verbose));
        // The command reports the exception of a failed client itself. The client's log lines would hide this message.
        shown.setFilter(verbose ? null : line -> !isOfKafka(line));
        root.addHandler(shown);
        if (file != null) {
            root.addHandler(fileHandler(file));
        }
    }

    private static boolean isOfKafka(LogRecord line) {
        String name = line.getLoggerName();
        return name != null && (name.startsWith("org.apache.kafka.") || name.startsWith("kafka."));
    }

    private static Handler terminalHandler(Terminal terminal, Level level, Formatter formatter) {
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                if (isLoggable(line)) {
                    terminal.notes(formatter.format(line).stripTrailing());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        handler.setLevel(level);
        return handler;
    }

    private static Handler fileHandler(Path file) {
        try {
            Handler handler = new RotatingHandler(file, new LineFormatter(true));
            handler.setLevel(Level.INFO);
            return handler;
        } catch (IOException e) {
            throw CliFailure.badValue("--log-file", file, "a file that can be written (" + CliFailure.reason(e) + ")");
        }
    }

    private static final class LineFormatter extends Formatter {

        private static final DateTimeFormatter TIME =
                DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

        private final boolean stackTraces;

        LineFormatter(boolean stackTraces) {
            this.stackTraces = stackTraces;
        }

        @Override
        public String format(LogRecord line) {
            StringWriter text = new StringWriter();
            PrintWriter out = new PrintWriter(text);
            out.printf(
                    "%s %-7s %s: %s%n",
                    TIME.format(line.getInstant()), line.getLevel(), line.getLoggerName(), formatMessage(line));
            Throwable thrown = line.getThrown();
            if (thrown != null && stackTraces) {
                thrown.printStackTrace(out);
            } else if (thrown != null) {
                out.println("  " + thrown);
            }
            // Clients log their settings, and addresses may contain passwords.
            return Printable.indented(Secrets.redactAddresses(text.toString())) + System.lineSeparator();
        }
    }
}
