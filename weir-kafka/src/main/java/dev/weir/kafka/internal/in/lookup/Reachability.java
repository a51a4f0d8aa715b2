package dev.weir.kafka.internal.in.lookup;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Detects whether any broker responds. {@link #look} and {@link #answered} belong to the owner thread; any thread may
 * call {@link #silentSince}.
 *
 * <p>Silence alone proves nothing: an idle client, or one that waits for its group, may receive nothing for minutes.
 * Brokers count as down if a connection was also lost since the last response: a live broker responds to the first
 * request on every new connection.
 */
public final class Reachability {

    /**
     * Minimum silence after which brokers count as down if a connection was lost. A response on a new connection may
     * still arrive before that. Connection attempts follow each other within about a second.
     */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Supplier<BrokerContact> contact;
    private final OwnerClock clock;

    // Confined to the owner thread.
    private BrokerContact last = BrokerContact.UNKNOWN;

    /** The number of losses before the last response, or slightly less. */
    private long lossesBefore;

    private long answeredNanos;

    /** Time of the last response if another one is overdue; null otherwise. */
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

    /** Reports that a broker responded, to the client or on another connection. */
    public void answered() {
        answeredNanos = clock.nanoTime();
        // A response and a loss between two readings may have come in either order, so this uses the count of the
        // previous reading.
        lossesBefore = last.losses();
    }

    /** Returns the time since which no broker has responded; null if brokers respond. Any thread. */
    @Nullable
    public Instant silentSince() {
        Long since = silentSinceNanos;
        return since == null ? null : Instant.now().minus(Duration.ofNanos(clock.nanoTime() - since));
    }
}
