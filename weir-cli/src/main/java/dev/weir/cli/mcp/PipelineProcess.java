package dev.weir.cli.mcp;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.cli.console.ConsoleAddress;
import dev.weir.cli.console.ConsoleClient;
import dev.weir.command.terminal.CliFailure;
import dev.weir.console.profile.ProfileException;
import dev.weir.console.profile.Profiler;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A pipeline's process. Queries go through its console; a profile needs only the process id. Immutable. */
final class PipelineProcess {

    private final @Nullable String target;
    private final @Nullable String token;

    /**
     * Creates a process handle.
     *
     * @param target the id of a process or the address of a console; null if none was given
     * @param token required by the console
     */
    PipelineProcess(@Nullable String target, @Nullable String token) {
        this.target = target;
        this.token = token;
    }

    boolean isGiven() {
        return target != null;
    }

    /** Queries the console on a new connection: the process may have restarted at the same address. */
    JsonNode get(String path) throws InterruptedException {
        try (ConsoleClient console = new ConsoleClient(ConsoleAddress.of(given()), token)) {
            return console.get(path);
        }
    }

    JsonNode profile(Duration time) throws InterruptedException {
        if (!ConsoleAddress.isProcess(given())) {
            try (ConsoleClient console = new ConsoleClient(ConsoleAddress.ofUrl(given()), token)) {
                return console.get("/api/profile?seconds=" + time.toSeconds(), time.multipliedBy(2));
            }
        }
        try {
            return Answer.JSON.readTree(Profiler.create()
                    .time(time)
                    .recordProcess(Long.parseLong(given()))
                    .toJson());
        } catch (ProfileException e) {
            throw CliFailure.work(String.valueOf(e.getMessage()), e.wayOut(), e);
        } catch (JacksonException e) {
            throw CliFailure.unexpected(e);
        } catch (IOException e) {
            throw CliFailure.work(
                    "cannot record process " + given() + ": " + CliFailure.reason(e), "Does it still run?", e);
        }
    }

    private String given() {
        if (target == null) {
            throw CliFailure.work(
                    "this server was started without a pipeline",
                    "Start it as 'weir mcp --url URL' or 'weir mcp --pid PID'.");
        }
        return target;
    }

    @Override
    public String toString() {
        return target == null ? "none" : target;
    }
}
