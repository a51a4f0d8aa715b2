package dev.weir.console;

import dev.weir.console.internal.http.ConsoleHandler;
import dev.weir.console.internal.state.FleetLooker;
import dev.weir.metrics.http.HttpEndpoint;
import java.net.URI;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A page over many pipelines: the members of groups, the graph of pipelines that topics join, and the one that limits
 * the whole. It changes nothing. Thread-safe. {@link ConsoleServer.Builder#startForFleet} makes one, which listens.
 *
 * <p>It shows what its user has found out, for example {@code weir console --group}, and asks nobody itself.
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
     * Shows a view of the fleet from now on.
     *
     * @param view one JSON object on one line, as {@code docs/guide/fleet.md} describes it; its field {@code look},
     *     which counts the views, is added
     * @throws IllegalArgumentException if it is no object with fields
     */
    public void show(String view) {
        looker.show(Objects.requireNonNull(view, "view"));
    }

    /** The address of the page on this machine. */
    public URI uri() {
        return http.uri();
    }

    /** Closes the port and all connections. The pipelines go on. */
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
