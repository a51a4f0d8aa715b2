package dev.weir.kafka.internal.in.lookup;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether any broker answers. {@link #look} and {@link #answered} belong to the owner thread, {@link
 * #silentSince} is for any.
 *
 * <p>No answer is no proof: a client that has nothing to ask, or waits for the group to settle, hears nothing for
 * minutes. It is one if connections were lost as well, and no attempt at a new one has brought an answer: a broker that
 * is there answers the first request of each.
 */
public final class Reachability {

    /** The time for the first answer on a new connection; attempts follow each other within a second or so. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Supplier<BrokerContact> contact;
    private final OwnerClock clock;

    // Owner thread.
    private BrokerContact last = BrokerContact.UNKNOWN;

    /** The losses before the last answer, or a few less. */
    private long lossesBefore;

    private long answeredNanos;

    /** The time when the last answer came if there should be more by now, else null. */
    private volatile @Nullable Long silentSinceNanos;

    public Reachability(Supplier<BrokerContact> contact, OwnerClock clock) {
        this.contact = contact;
        this.clock = clock;
        this.answeredNanos = clock.nanoTime();
    }

    public void look() {
        BrokerContact now = contact.get();
        if (now.answers() != last.answers()) {
            answered();
        }
        last = now;
        boolean silent =
                now.isKnown() && now.losses() > lossesBefore && clock.nanoTime() - answeredNanos > PATIENCE_NANOS;
        silentSinceNanos = silent ? answeredNanos : null;
    }

    /** A broker has answered, the client or somebody else. */
    public void answered() {
        answeredNanos = clock.nanoTime();
        // As of the look before: which of an answer and a loss between two looks came first is not known.
        lossesBefore = last.losses();
    }

    /** Time since when no broker answers; null while one does. Any thread. */
    @Nullable
    public Instant silentSince() {
        Long since = silentSinceNanos;
        return since == null ? null : Instant.now().minus(Duration.ofNanos(clock.nanoTime() - since));
    }
}
