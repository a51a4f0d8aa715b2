package dev.weir.cli.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.command.console.ListenAddress;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.console.ConsoleServer;
import dev.weir.console.FleetConsole;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Serves the web page of a fleet until a stop, or prints one view as JSON. Confined to the command's thread. */
public final class FleetPage {

    private static final int INTERVAL_SECONDS = 2;

    private final CommandContext weir;
    private final FleetRun fleet;

    /** Creates a page for a fleet that the caller owns. */
    public FleetPage(CommandContext weir, FleetRun fleet) {
        this.weir = weir;
        this.fleet = fleet;
    }

    /**
     * Serves the page until a signal comes.
     *
     * @param listen null for a free loopback port
     * @param token required by the page; null for none
     * @param once whether to print a single view as a line of JSON instead
     */
    public void run(@Nullable ListenAddress listen, @Nullable String token, boolean once) throws InterruptedException {
        if (once) {
            print(fleet.look());
            return;
        }
        CountDownLatch stop = new CountDownLatch(1);
        weir.shutdown().onStop(stop::countDown);
        try (FleetConsole console = start(listen == null ? new ListenAddress(null, 0) : listen, token)) {
            weir.terminal().note("weir: console " + console.uri());
            do {
                console.show(fleet.look().toString());
            } while (!stop.await(INTERVAL_SECONDS, TimeUnit.SECONDS));
        }
    }

    private void print(ObjectNode view) {
        weir.json().write(line -> {
            for (Map.Entry<String, JsonNode> field : view.properties()) {
                line.writeFieldName(field.getKey());
                line.writeRawValue(field.getValue().toString());
            }
        });
    }

    private static FleetConsole start(ListenAddress at, @Nullable String token) {
        ConsoleServer.Builder settings = ConsoleServer.builder().port(at.port());
        if (at.host() != null) {
            settings.host(at.host());
        }
        try {
            if (token != null) {
                settings.token(token);
            }
            return settings.startForFleet();
        } catch (IllegalArgumentException e) {
            throw CliFailure.usage(
                    "--listen=" + at + ": " + e.getMessage(), token == null ? "Name its file with --token-file." : "");
        } catch (IOException e) {
            throw CliFailure.work(
                    "cannot listen on --listen=" + at + ": " + CliFailure.reason(e),
                    "Choose an address of this machine and a port that is free; 0 is any.",
                    e);
        }
    }
}
