package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.Subscription.Selection;
import dev.weir.kafka.internal.BareContext;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.BatchEmission;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.DroppedRecords;
import dev.weir.kafka.internal.in.buffer.FlowControl;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.buffer.PausedPartitions;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.commit.MemberCommit;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.kafka.internal.in.lookup.SilentLookup;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * The owner's transactions with two partitions. The committing thread's tasks run on the test's thread, and waiting
 * advances the clock. Commits have no room for finished offsets behind a gap.
 */
@Timeout(60)
abstract class ConsumerTransactionsCase {

    static final TopicPartition ID = new TopicPartition("in", 0);
    static final TopicPartition OTHER = new TopicPartition("in", 1);
    static final long SECOND = 1_000_000_000;
    static final long INTERVAL = SECOND / 10;
    static final long TIMEOUT_NANOS = 30 * SECOND;

    /** Longer than the pause between two attempts to cut a transaction. */
    static final long MOMENT = SECOND / 100;

    private static final int MOST_READS = 10_000;

    /** Half of the transaction timeout minus the interval. */
    static final long PATIENCE = 15 * SECOND - INTERVAL;

    /** Runs once, when the owner first waits for a change. */
    Runnable whileTheOwnerWaits = () -> {};

    /** Runs while a producer sends offsets. */
    Runnable whileOffsetsAreSent = () -> {};

    @Nullable
    Throwable failure;

    ConsumerPhase phase = ConsumerPhase.RUNNING;

    /** Negative, as the system clock may be. */
    long nowNanos = -1_000 * SECOND;

    private long readNanos;
    private int reads;
    private int waits;

    final BareContext context = new BareContext() {
        @Override
        public @Nullable Throwable failure() {
            return failure;
        }

        @Override
        public void fail(Throwable cause) {
            super.fail(cause);
            failure = cause;
        }
    };
    final List<Client> clients = new ArrayList<>();
    final Set<TopicPartition> existing = new HashSet<>(Set.of(ID, OTHER));
    final List<TopicPartition> restarted = new ArrayList<>();
    int lookups;
    int fences;

    int generation = 1;
    final List<ConsumerGroupMetadata> members = new ArrayList<>();
    private final MockConsumer<byte[], byte[]> client = new MockConsumer<>("earliest") {
        @Override
        @SuppressWarnings("removal") // the only way to create this object without a client in a group
        public ConsumerGroupMetadata groupMetadata() {
            return new ConsumerGroupMetadata("g", generation, "member", Optional.empty());
        }
    };
    private final ClientFetcher fetcher = new ClientFetcher(client);
    private final ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder()
            .bootstrapServers("h:1")
            .groupId("g")
            .commitMetadataChars(0)
            .build();
    private final OwnerClock clock = new OwnerClock() {
        @Override
        public long nanoTime() {
            return now();
        }

        @Override
        public void park(long nanos) {
            throw new AssertionError("nothing here parks");
        }
    };
    final DroppedRecords dropped = new DroppedRecords(true);

    TransactionCounts counts = new TransactionCounts();
    CallingThread thread = new CallingThread();
    TransactionsOfRun<String, String> run = run(false);
    TransactionCommitter<String, String> committer = committer();
    ConsumerTransactions<String, String> transactions = transactions(INTERVAL);
    OffsetCommits commits = commits();
    PartitionAssignment assignment = assignment();
    OffsetTracker tracker = new OffsetTracker(1, () -> {});
    OffsetTracker other = new OffsetTracker(1, () -> {});

    private TransactionsOfRun<String, String> run(boolean keeps) {
        return new TransactionsOfRun<>(Clock.SYSTEM, new Waiting(), keeps);
    }

    private TransactionCommitter<String, String> committer() {
        return new TransactionCommitter<>(run, context, counts, null, number -> new Client(), thread);
    }

    private ConsumerTransactions<String, String> transactions(long intervalNanos) {
        TransactionPlan plan = new TransactionPlan("g", "run", intervalNanos, 1_000, 1_000, TIMEOUT_NANOS);
        return new ConsumerTransactions<>(run, committer, plan, context, () -> fences++);
    }

    private OffsetCommits commits() {
        return new OffsetCommits(client, fetcher, settings, new Topics(), clock, MemberCommit.NONE);
    }

    private PartitionAssignment assignment() {
        ConsumerPlan plan =
                new ConsumerPlan(Subscription.topics("in"), Map.of(), new Delivery.Committable(), null, Set.of());
        RecordOutlets outlets = RecordOutlets.single(new RecordBuffer(Clock.SYSTEM));
        FlowControl flow = new FlowControl(settings, 1, 1_000, clock, () -> {});
        OwnerThread owner = new NoOwner();
        return new PartitionAssignment(
                plan,
                fetcher,
                outlets,
                flow,
                new BatchEmission(plan, null, outlets, owner),
                new PausedPartitions(),
                100,
                owner,
                dropped);
    }

    @BeforeEach
    void begin() {
        client.assign(Set.of(ID, OTHER));
        client.updateBeginningOffsets(Map.of(ID, 0L, OTHER, 0L));
        begin(INTERVAL, false);
    }

    void begin(long intervalNanos, boolean keeps) {
        counts = new TransactionCounts();
        thread = new CallingThread();
        run = run(keeps);
        committer = committer();
        transactions = transactions(intervalNanos);
        commits = commits();
        assignment = assignment();
        assignment.add(Set.of(ID), 0);
        assignment.add(Set.of(OTHER), 0);
        tracker = partition(ID).tracker();
        other = partition(OTHER).tracker();
        run.emits(tracker);
        run.emits(other);
        transactions.begin(
                client,
                commits,
                assignment,
                reopened -> reopened.forEach(partition -> restarted.add(partition.id())),
                new NoOwner(),
                clock);
        committer.start();
        assertThat(run.freeProducers()).isEqualTo(TransactionCommitter.PRODUCERS);
    }

    @AfterEach
    void close() {
        assertThat(run.lock.isHeldByCurrentThread()).isFalse();
        thread.release();
        committer.close();
        assertThat(context.failures).isEmpty();
    }

    /** Returns the time. Fails if the owner reads it again and again without a wait. */
    private long now() {
        reads = nowNanos == readNanos ? reads + 1 : 0;
        readNanos = nowNanos;
        assertThat(reads).as("times that the owner reads the clock").isLessThan(MOST_READS);
        return nowNanos;
    }

    AssignedPartition partition(TopicPartition id) {
        return Objects.requireNonNull(assignment.get(id));
    }

    long written(int otherClaims) {
        return written(tracker, otherClaims);
    }

    /** Writes a record for a new input with {@code otherClaims} further pending acknowledgements. */
    long written(OffsetTracker source, int otherClaims) {
        long token = source.append(source.nextOffset() < 0 ? 0 : source.nextOffset(), 1);
        if (otherClaims > 0) {
            source.retain(token, otherClaims);
        }
        run.lock.lock();
        try {
            if (run.filling() == null) {
                committer.begin();
            }
            OpenTransaction<String, String> filling = Objects.requireNonNull(run.filling());
            if (filling.kept != null) {
                filling.kept.add(
                        new TransactionRecord<>(new ProducerRecord<>("out", "v"), new Header[0], source, token, false));
            }
            filling.sent(source, token, null);
        } finally {
            run.lock.unlock();
        }
        return token;
    }

    void afterwards(long nanos) {
        nowNanos += nanos;
        transactions.commitIfDue();
    }

    /** Lets time pass in steps of half a second, with a call after each. */
    void afterwardsInSteps(long nanos) {
        for (long left = nanos; left > 0; left -= SECOND / 2) {
            afterwards(Math.min(left, SECOND / 2));
        }
    }

    /** Returns the offsets of all committed transactions. */
    Map<TopicPartition, Long> committedOffsets() {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        for (Client each : clients) {
            each.consumerGroupOffsetsHistory()
                    .forEach(byGroup -> byGroup.values()
                            .forEach(byId ->
                                    byId.forEach((id, offset) -> offsets.merge(id, offset.offset(), Math::max))));
        }
        return offsets;
    }

    void assertCounts(long committed, long aborted) {
        assertThat(counts.snapshot().committed()).as("committed").isEqualTo(committed);
        assertThat(counts.snapshot().aborted()).as("aborted").isEqualTo(aborted);
    }

    /** The test's clock. An action runs before the first wait. */
    private final class Waiting implements Clock {

        @Override
        public long nanoTime() {
            return now();
        }

        @Override
        public void await(Lock lock, Condition condition, long deadlineNanos) {
            Runnable first = whileTheOwnerWaits;
            whileTheOwnerWaits = () -> {};
            first.run();
            nowNanos = Math.max(nowNanos, deadlineNanos);
            assertThat(++waits).as("waits of the owner").isLessThan(MOST_READS);
        }
    }

    /** The brokers' knowledge of the topics. */
    private final class Topics extends SilentLookup {

        @Override
        public CompletionStage<Described> partitions(Selection selection) {
            lookups++;
            return CompletableFuture.completedStage(new Described(Set.copyOf(existing), Map.of()));
        }
    }

    final class Client extends MockProducer<String, String> {

        @Nullable
        KafkaException beginFailure;

        Client() {
            super(true, null, new StringSerializer(), new StringSerializer());
            clients.add(this);
        }

        @Override
        public void beginTransaction() {
            if (beginFailure != null) {
                throw beginFailure;
            }
            super.beginTransaction();
        }

        @Override
        public void sendOffsetsToTransaction(
                Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata member) {
            whileOffsetsAreSent.run();
            members.add(member);
            super.sendOffsetsToTransaction(offsets, member);
        }
    }

    private final class NoOwner implements OwnerThread {

        @Override
        public void execute(Runnable work) {
            throw new AssertionError("nobody hands work to the owner");
        }

        @Override
        public void wake() {}

        @Override
        public ConsumerPhase phase() {
            return phase;
        }

        @Override
        public void fail(Throwable failure) {
            throw new AssertionError(failure);
        }

        @Override
        public long withinPatience(long nanos) {
            return nanos;
        }

        @Override
        public boolean awaitOrEnd(CompletableFuture<?> done) {
            return false;
        }
    }
}
