package dev.weir.kafka.internal.in.lookup;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Detects whether any broker answers. {@link #look} and {@link #answered} belong to the owner thread; any thread may
 * call {@link #silentSince}.
 *
 * <p>Silence alone proves nothing: an idle client, or one that waits for its group, may hear nothing for minutes.
 * Brokers count as down if connections were also lost and no new connection has brought an answer, because a live
 * broker answers the first request of each.
 */
public final class Reachability {

    /** The time for the first answer on a new connection; attempts follow each other within about a second. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Supplier<BrokerContact> contact;
    private final OwnerClock clock;

    // Confined to the owner thread.
    private BrokerContact last = BrokerContact.UNKNOWN;

    /** The number of losses before the last answer, or slightly less. */
    private long lossesBefore;

    private long answeredNanos;

    /** The time of the last answer if another one is overdue, else null. */
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

    /** Notes an answer from a broker, to the client or to another connection. */
    public void answered() {
        answeredNanos = clock.nanoTime();
        // Uses the previous check's count, because the order of an answer and a loss between two checks is not known.
        lossesBefore = last.losses();
    }

    /** The time since which no broker answers; null while one does. Any thread. */
    @Nullable
    public Instant silentSince() {
        Long since = silentSinceNanos;
        return since == null ? null : Instant.now().minus(Duration.ofNanos(clock.nanoTime() - since));
    }
}
