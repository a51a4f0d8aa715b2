package dev.weir.console.internal.http;

import dev.weir.console.internal.state.Json;
import dev.weir.console.profile.ProfileException;
import dev.weir.console.profile.Profiler;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records profiles of this process, one at a time. The request's thread waits for the profile. Thread-safe. */
final class ProfileRequests {

    static final String PATH = "/api/profile";

    private static final Logger LOG = LoggerFactory.getLogger(ProfileRequests.class);

    private static final Pattern SECONDS = Pattern.compile("seconds=([0-9]{1,4})");
    private static final String DEFAULT = "seconds=10";

    /** Limits the number of profiles in memory. Slow clients may still receive some while another is recorded. */
    private static final Semaphore HELD = new Semaphore(4);

    private static final Semaphore RECORDING = new Semaphore(1);

    private ProfileRequests() {}

    /** Reserves memory for a profile. If true, {@link #leave} must be called. */
    static boolean enter() {
        return HELD.tryAcquire();
    }

    /** Releases the memory of {@link #enter} after the response was sent. */
    static void leave() {
        HELD.release();
    }

    /** An HTTP status and the JSON body of a response. */
    record Outcome(int status, String json) {

        static Outcome error(int status, String message) {
            return new Outcome(status, Json.error(message));
        }
    }

    /**
     * Records a profile.
     *
     * @param query {@code seconds=N}, or null for the default
     */
    static Outcome record(@Nullable String query) {
        Matcher seconds = SECONDS.matcher(query == null ? DEFAULT : query);
        long most = Profiler.MOST.toSeconds();
        if (!seconds.matches() || Long.parseLong(seconds.group(1)) < 1 || Long.parseLong(seconds.group(1)) > most) {
            return Outcome.error(400, "ask for " + PATH + "?seconds=N, 1 to " + most);
        }
        if (!RECORDING.tryAcquire()) {
            return Outcome.error(409, "a profile is being recorded: ask again when it has ended");
        }
        try {
            Duration time = Duration.ofSeconds(Long.parseLong(seconds.group(1)));
            return new Outcome(
                    200, Profiler.create().time(time).recordThisProcess().toJson());
        } catch (InterruptedException e) { // the console is being closed
            Thread.currentThread().interrupt();
            return Outcome.error(503, "the console is being closed");
        } catch (ProfileException e) {
            return Outcome.error(503, e.getMessage() + ": " + e.wayOut());
        } catch (IOException | RuntimeException e) {
            LOG.warn("cannot record a profile", e);
            return Outcome.error(500, "no profile could be recorded; the log says why");
        } finally {
            RECORDING.release();
        }
    }
}
