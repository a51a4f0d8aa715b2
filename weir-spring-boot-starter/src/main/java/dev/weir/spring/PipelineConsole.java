package dev.weir.spring;

import dev.weir.console.ConsoleServer;
import dev.weir.stream.RunningPipeline;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The console of one pipeline. With {@code weir.console.enabled}, it opens at the pipeline's first run and closes with
 * the application. Used only by {@link PipelineBean}.
 */
final class PipelineConsole {

    private static final Logger LOG = LoggerFactory.getLogger(WeirPipelines.class);

    private static final int LAST_PORT = 65_535;

    private final String name;
    private final WeirProperties.Console settings;
    private final int port;

    private volatile @Nullable ConsoleServer console;

    /**
     * Creates the console without starting it.
     *
     * @param index the pipeline's index in alphabetical order, added to the configured port
     * @throws IllegalArgumentException if a setting of the console is invalid
     */
    PipelineConsole(String name, WeirProperties.Console settings, int index) {
        this.name = name;
        this.settings = settings;
        this.port = settings.port() == 0 ? 0 : settings.port() + index;
        if (settings.port() < 0 || port > LAST_PORT) {
            throw new IllegalArgumentException("weir.console.port: it must be 0 to " + LAST_PORT
                    + " for each pipeline; that of " + name + " would be " + port);
        }
        if (settings.enabled()) {
            var ignored = builder();
        }
    }

    /**
     * Shows this run. All runs of a pipeline use one console and port. If it cannot be opened, the pipeline runs
     * without it.
     */
    void show(RunningPipeline running) {
        if (!settings.enabled()) {
            return;
        }
        ConsoleServer shown = console;
        if (shown != null) {
            shown.show(running);
            return;
        }
        try {
            ConsoleServer opened = builder().start(running);
            console = opened;
            LOG.info("pipeline {} has its console at {}", name, opened.uri());
        } catch (IOException e) {
            LOG.warn(
                    "pipeline {} runs without its console: {} (weir.console.host={}, port {})",
                    name,
                    e.getMessage(),
                    settings.host(),
                    port);
        }
    }

    /** Converts the properties to console settings. The exception for invalid settings names the properties. */
    private ConsoleServer.Builder builder() {
        try {
            ConsoleServer.Builder builder = ConsoleServer.builder().port(port).host(settings.host());
            if (settings.token() != null) {
                builder.token(settings.token());
            }
            return builder.check();
        } catch (IllegalArgumentException refused) {
            throw new IllegalArgumentException(
                    "weir.console: " + refused.getMessage()
                            + "; set weir.console.token, or leave out weir.console.host to listen on loopback",
                    refused);
        }
    }

    @Nullable
    ConsoleServer server() {
        return console;
    }

    void close() {
        ConsoleServer shown = console;
        console = null;
        if (shown != null) {
            shown.close();
        }
    }
}
