package dev.weir.console;

import dev.weir.console.internal.http.ConsoleHandler;
import dev.weir.console.internal.state.FleetLooker;
import dev.weir.metrics.http.HttpEndpoint;
import java.net.URI;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A read-only page for several pipelines. Shows the members of groups, the pipelines and the topics that connect them,
 * and the pipeline that limits the throughput. Thread-safe. Created by {@link ConsoleServer.Builder#startForFleet}.
 *
 * <p>The page shows only the views that are passed to it, for example by {@code weir console --group}.
 */
public final class FleetConsole implements AutoCloseable {

    private final HttpEndpoint http;
    private final FleetLooker looker;

    FleetConsole(HttpEndpoint http, @Nullable String token) {
        this.http = http;
        this.looker = new FleetLooker();
        http.start(ConsoleHandler.ofFleet(http.isLoopback(), token, looker));
    }

    /**
     * Replaces the displayed view of the fleet.
     *
     * @param view one JSON object on one line, as described in {@code docs/guide/fleet.md}. This method adds the field
     *     {@code look}, which contains the number of the view
     * @throws IllegalArgumentException if the view is not an object with fields
     */
    public void show(String view) {
        looker.show(Objects.requireNonNull(view, "view"));
    }

    /** The page's address on this machine. */
    public URI uri() {
        return http.uri();
    }

    /** Closes the port and all connections. The pipelines continue. */
    @Override
    public void close() {
        looker.close();
        http.close();
    }

    @Override
    public String toString() {
        return "console of a fleet at " + uri();
    }
}
