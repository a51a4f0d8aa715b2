package dev.weir.cli.console;

import dev.weir.cli.metrics.MetricsEndpoint;
import dev.weir.cli.metrics.MetricsOption;
import dev.weir.command.console.ConsoleOption;
import dev.weir.command.terminal.CommandContext;
import dev.weir.console.ConsoleServer;
import dev.weir.metrics.LimiterProbe;
import dev.weir.stream.RunningPipeline;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** The console and metrics servers of one command, each optional. Thread-safe. Close it after the pipeline. */
public final class Endpoints implements AutoCloseable {

    private final @Nullable ConsoleServer console;
    private final MetricsEndpoint metrics;

    private Endpoints(@Nullable ConsoleServer console, MetricsEndpoint metrics) {
        this.console = console;
        this.metrics = metrics;
    }

    /** Starts the requested servers and prints their addresses, as the command's first output. */
    public static Endpoints start(CommandContext weir, boolean json, ConsoleOption console, MetricsOption metrics) {
        return start(weir, json, console.start(weir.terminal()), metrics);
    }

    /** Starts the requested servers and a console, by default on loopback, and prints their addresses. */
    public static Endpoints startWithConsole(
            CommandContext weir, boolean json, ConsoleOption console, MetricsOption metrics) {
        return start(weir, json, console.startAnyway(weir.terminal()), metrics);
    }

    private static Endpoints start(
            CommandContext weir, boolean json, @Nullable ConsoleServer console, MetricsOption metrics) {
        MetricsEndpoint endpoint;
        try {
            endpoint = metrics.start();
        } catch (RuntimeException e) {
            if (console != null) {
                console.close();
            }
            throw e;
        }
        Endpoints started = new Endpoints(console, endpoint);
        started.tell(weir, json);
        return started;
    }

    private void tell(CommandContext weir, boolean json) {
        URI page = console == null ? null : console.uri();
        URI scraped = metrics.uri();
        if (page != null) {
            weir.terminal().note("weir: console " + page);
        }
        if (scraped != null) {
            weir.terminal().note("weir: metrics " + scraped);
        }
        if (json && (page != null || scraped != null)) {
            weir.json().write(line -> {
                line.writeStringField("event", "started");
                line.writeNumberField("pid", ProcessHandle.current().pid());
                line.writeStringField("console", page == null ? null : page.toString());
                line.writeStringField("metrics", scraped == null ? null : scraped.toString());
            });
        }
    }

    /** Returns a {@code client.id} for {@code weir console --group}; null without a console. */
    public @Nullable String clientId(String group) {
        return console == null ? null : console.clientId("weir-" + group);
    }

    /** Shows on the page what the command does until there is a pipeline. */
    public void announce(String step) {
        if (console != null) {
            console.announce(step);
        }
    }

    /** Shows the command's pipeline and its limiter. */
    public void show(RunningPipeline running) {
        if (console != null) {
            console.show(running);
        }
        metrics.show(running);
    }

    /** Shows the command's pipeline with the limiter of {@code probe}, which the summary uses too. */
    public void show(RunningPipeline running, LimiterProbe probe) {
        if (console != null) {
            console.show(running, probe::limiter);
        }
        metrics.show(running);
    }

    @Override
    public void close() {
        if (console != null) {
            console.close();
        }
        metrics.close();
    }
}
