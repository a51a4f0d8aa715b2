package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.internal.in.fetch.LeanConfig;
import dev.weir.kafka.internal.share.group.ShareFaults;
import dev.weir.kafka.internal.share.member.CreditTuner.Look;
import dev.weir.lean.LeanException;
import dev.weir.lean.share.ShareMember;
import dev.weir.lean.share.ShareMember.Identity;
import dev.weir.lean.share.ShareMember.Reading;
import dev.weir.lean.spi.MessageLinks;
import dev.weir.stream.spi.Thrown;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires records over Weir's own connections: one member on one thread, with one session per broker. Each finished
 * record immediately frees capacity for another. Any thread may call the methods, except for {@link #run}.
 */
final class LeanPath implements SharePath, Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(LeanPath.class);
    private static final Duration LONGEST = Duration.ofDays(365);
    private static final long LAST_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long LEAVE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Setup setup;
    private final MessageLinks wires;
    private final ShareMember member;
    private final AcquiredRecordDelivery delivery;
    private final Thread thread;

    private volatile Plan plan = CreditTuner.first(1);
    private volatile int locks = Integer.MAX_VALUE;
    private volatile boolean closing;
    private volatile long closeAtNanos = Long.MAX_VALUE;
    private volatile int unfinished;

    /** Creates the path without connecting to a broker. Throws if the configuration is refused. */
    LeanPath(Setup setup, ShareSettings<?, ?> settings) {
        this.setup = setup;
        Identity identity = new Identity(
                memberId(settings.memberName()),
                text(ConsumerConfig.GROUP_ID_CONFIG),
                setup.topics(),
                LeanConfig.bootstrap(setup.config()));
        Reading reading = new Reading(
                !text(ConsumerConfig.CHECK_CRCS_CONFIG).strip().equalsIgnoreCase("false"),
                Math.toIntExact(settings.maxBatchBytes()));
        this.delivery = new AcquiredRecordDelivery(setup, settings.unreadableBatches(), this::ended);
        this.thread = Thread.ofPlatform().daemon().name("weir-share").unstarted(this);
        this.wires = new MessageLinks(LeanConfig.of(setup.config()));
        try {
            this.member = new ShareMember(identity, reading, wires, delivery);
        } catch (Throwable e) {
            wires.close();
            throw e;
        }
    }

    private static String memberId(@Nullable String name) {
        if (name == null) {
            return Uuid.randomUuid().toString();
        }
        UUID named = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return new Uuid(named.getMostSignificantBits(), named.getLeastSignificantBits()).toString();
    }

    private String text(String property) {
        return String.valueOf(setup.config().getOrDefault(property, ""));
    }

    private void ended(AcquiredRecord record) {
        setup.counters().countSettled(record);
        if (member.ended(record)) {
            wires.wakeup();
        }
    }

    @Override
    public Plan first(int workers, int maxLanes) {
        member.workers(workers);
        return CreditTuner.first(workers);
    }

    @Override
    public Plan next(Plan now, Look look, int workers) {
        locks = look.locksPerPartition();
        return CreditTuner.next(now, look, workers, delivery.slowRoundTripSeconds(), member.batchRecords());
    }

    @Override
    public boolean isTuned() {
        return true;
    }

    @Override
    public void start(Plan first) {
        follow(first);
        thread.start();
    }

    @Override
    public void follow(Plan next) {
        plan = next;
        setup.ready().lowWater(next.credits());
    }

    @Override
    public void stop() {
        setup.ready().end();
        wires.wakeup();
    }

    @Override
    public int close(Duration patience) {
        closeAtNanos = wires.nanoTime() + (patience.compareTo(LONGEST) < 0 ? patience : LONGEST).toNanos();
        closing = true;
        stop();
        if (thread.getState() == Thread.State.NEW) {
            end();
            return 0;
        }
        boolean interrupted = false;
        while (true) {
            try {
                thread.join(); // no timeout: the thread ends soon after the close deadline
                break;
            } catch (InterruptedException hurry) {
                interrupted = true;
                closeAtNanos = wires.nanoTime();
                wires.wakeup();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return unfinished;
    }

    @Override
    public boolean isJoined() {
        return member.isJoined();
    }

    @Override
    public int lanes() {
        return 1;
    }

    @Override
    public long widestSpan() {
        return member.span();
    }

    @Override
    public int lockMillis() {
        return member.lockMillis();
    }

    @Override
    public void run() {
        try {
            while (!closing) {
                step();
            }
            finish();
        } catch (Throwable failure) {
            setup.onFailure().accept(explained(failure));
        } finally {
            end();
        }
    }

    private void step() {
        Plan current = plan;
        member.plan(current.credits(), current.mode() == AcquireMode.BATCH_OPTIMIZED, locks);
        long now = wires.nanoTime();
        member.at(now);
        int work = wires.poll(now);
        long wait = member.turn(now);
        if (work == 0) {
            wires.await(wait);
        }
    }

    private void finish() {
        while (member.open() > 0 && wires.nanoTime() - closeAtNanos < 0) {
            step();
        }
        int given = giveUp();
        unfinished = given;
        member.end();
        long last = wires.nanoTime() + LAST_ANSWER_NANOS;
        while (!member.hasEnded() && wires.nanoTime() - last < 0) {
            step();
            // A fetch in flight may have returned records that nobody will take.
            given += giveUp();
            unfinished = given;
        }
        member.leave();
        long leaves = wires.nanoTime() + LEAVE_NANOS;
        while (!member.hasLeft() && wires.nanoTime() - leaves < 0) {
            step();
        }
        if (!member.hasEnded() || !member.hasLeft()) {
            LOG.warn(
                    "{}: the last acknowledgements, or the request to leave the group, got no answer: records may"
                            + " be delivered again",
                    setup.name());
        }
    }

    /** Releases all unfinished records and returns their number. Copies records in their last delivery first. */
    private int giveUp() {
        if (member.open() == 0) {
            return 0;
        }
        delivery.keepLast(member.openRecords());
        return member.giveUp();
    }

    private void end() {
        member.close();
        wires.close();
    }

    private static Throwable explained(Throwable failure) {
        return switch (failure) {
            case KafkaPipelineException known -> known;
            case KafkaException known -> ShareFaults.explained(known);
            case LeanException known -> new KafkaPipelineException(Thrown.reason(known), known);
            default -> failure;
        };
    }
}
