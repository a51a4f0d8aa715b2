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
 * <p>Brokers count as down if a connection was lost since the last response and no response follows for some seconds.
 * Silence alone proves nothing: an idle client may receive nothing for minutes.
 */
public final class Reachability {

    /** Minimum time without a response before brokers count as down. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Supplier<BrokerContact> contact;
    private final OwnerClock clock;

    // Confined to the owner thread.
    private BrokerContact last = BrokerContact.UNKNOWN;

    /** The number of lost connections before the last response, or slightly fewer. */
    private long lossesBefore;

    private long answeredNanos;

    /** Time of the last response if brokers count as down; otherwise null. */
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

    /** Reports that a broker responded, either to the client or on another connection. */
    public void answered() {
        answeredNanos = clock.nanoTime();
        // The losses since the last look() still count: they may have followed the response.
        lossesBefore = last.losses();
    }

    /**
     * Returns the time of the last response if brokers count as down; otherwise null. May be called from any thread.
     */
    @Nullable
    public Instant silentSince() {
        Long since = silentSinceNanos;
        return since == null ? null : Instant.now().minus(Duration.ofNanos(clock.nanoTime() - since));
    }
}
