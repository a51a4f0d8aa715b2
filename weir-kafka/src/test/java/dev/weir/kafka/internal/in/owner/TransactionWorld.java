package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.Subscription.Selection;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.fetch.ClientLimits;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.SilentLookup;
import dev.weir.kafka.internal.in.owner.TransactionCluster.Input;
import dev.weir.kafka.internal.in.owner.TransactionCluster.Out;
import dev.weir.kafka.internal.out.transaction.JointAcknowledgement;
import dev.weir.kafka.internal.out.transaction.SimulatedSink;
import dev.weir.kafka.internal.out.transaction.TransactionPlan;
import dev.weir.kafka.internal.out.transaction.Turns;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * A cluster, a group, operators and time around the real parts of an exactly-once flow: the consumer's loop, the
 * transactions' side of it, the committing thread and the sink. All is drawn from one seed. The brokers check after
 * each commit what is seen: {@link TransactionCluster}.
 */
final class TransactionWorld implements OwnerClock {

    /** The process is gone: nothing after this reaches the cluster. */
    @SuppressWarnings("serial") // never serialised
    private static final class Crash extends Error {}

    /** After which a world is one that goes round in circles. */
    private static final int MAX_CALM_STEPS = 30_000;

    private static final int MAX_PROCESSES = 40;

    /** Room for a topic's id and a gap or two in what is finished. */
    private static final int LEAST_CHARS = 52;

    /** A record in the operators, and how many of its outputs the sink was given. */
    private static final class Taken {
        final Batch<?> batch;
        final int index;
        final Input input;
        final long offset;
        final int outputs;
        boolean begun;
        int given;

        /** Number of workers on an element: the operators before the sink, and maybe another branch. */
        int workers = 1;

        Taken(Batch<?> batch, int index, Input input, long offset, int outputs) {
            this.batch = batch;
            this.index = index;
            this.input = input;
            this.offset = offset;
            this.outputs = outputs;
        }
    }

    final Random random;
    final TransactionCluster cluster;
    private final TransactionClient client;
    private final ConsumerSettings<byte[], byte[]> settings;
    private final boolean inOrder;

    /** True if some elements are grouped: each record of a group has acknowledgements of all inputs of the group. */
    private final boolean groups;

    /** A second generator, for draws that leave the sequence of {@link #random} as it is. */
    private final Random more;

    /** True if each process reads up to what was there when it began. */
    private final boolean bounded;

    private final boolean refuses;

    /** True if what is finished past the first unfinished record may be more than a commit can say. */
    private final boolean isTight;

    private final Duration interval;
    private final int commitRecords;
    private final long commitBytes;

    private long nowNanos = 1_000_000_000_000L;
    private int stepsLeft;
    private int calmSteps;
    private boolean calm;
    private boolean through;

    // Of the process that runs.
    private String run = "";
    private SimulatedContext context = new SimulatedContext();
    private RecordBuffer buffer = new RecordBuffer(Clock.SYSTEM);
    private final List<Taken> inFlight = new ArrayList<>();

    /** Elements in another branch of the pipeline, which may finish them at any time. */
    private final List<Taken> elsewhere = new ArrayList<>();

    private final List<TransactionProducer> producers = new ArrayList<>();

    /** Outputs by value array, which copies of a record share. */
    private final IdentityHashMap<byte[], Out> outs = new IdentityHashMap<>();

    /** Answers of brokers that are in flight. */
    private final Queue<Runnable> lookups = new ArrayDeque<>();

    private Map<TopicPartition, Long> ends = Map.of();
    private @Nullable SimulatedSink sink;
    private @Nullable ConsumerLoop loop;
    private boolean begunCalmly;
    private boolean crashed;
    private boolean stopped;
    private boolean sourceEnded;
    private boolean cancelled;
    private boolean closeRequested;

    private boolean doubts;

    /** The transitions that the transactions of its processes have made. */
    private final Set<String> transitions = new HashSet<>();

    TransactionWorld(long seed, Set<TransactionFault> faults) {
        random = new Random(seed);
        more = new Random(~seed);
        groups = more.nextInt(4) == 0;
        bounded = random.nextInt(3) == 0;
        refuses = random.nextInt(3) == 0;
        cluster = new TransactionCluster(seed, refuses, faults);
        int partitions = 1 + random.nextInt(4);
        for (int i = 0; i < partitions; i++) {
            Input input = new Input(new TopicPartition("t", i));
            input.grow(random, random.nextInt(50));
            cluster.inputs.put(input.id, input);
        }
        inOrder = random.nextBoolean();
        interval = Duration.ofMillis(1 + random.nextInt(500));
        commitRecords = 1 + random.nextInt(60);
        commitBytes = 1L + random.nextInt(200);
        stepsLeft = 50 + random.nextInt(400);
        client = new TransactionClient(this);
        isTight = random.nextInt(3) == 0;
        settings = ConsumerSettings.builder()
                .bootstrapServers("simulated:1")
                .groupId("g")
                .maxOutstandingRecords(1 + random.nextInt(60))
                .revokeDeadline(Duration.ofMillis(random.nextInt(3_000)))
                .property("auto.offset.reset", "earliest")
                .commitMetadataChars(isTight ? LEAST_CHARS + random.nextInt(40) : 4_096)
                .build();
    }

    private ConsumerLoop loop() {
        return Objects.requireNonNull(loop);
    }

    private SimulatedSink sink() {
        return Objects.requireNonNull(sink);
    }

    /** The transitions of transactions that happened so far. */
    Set<String> transitions() {
        return transitions;
    }

    boolean isCalm() {
        return calm;
    }

    boolean isCrashed() {
        return crashed;
    }

    /** Nobody in the process knows whether a commit was made. */
    void doubt() {
        doubts = true;
    }

    boolean isMember(ConsumerGroupMetadata member) {
        return client.isMember(member);
    }

    private static void require(boolean holds, String otherwise, @Nullable Throwable cause) {
        if (!holds) {
            throw new AssertionError(otherwise, cause);
        }
    }

    // ---- From the first process to the last ------------------------------------------------------------------------

    void run() {
        for (int processes = 0; !through; processes++) {
            require(processes < MAX_PROCESSES, "the run has failed over and over", context.failure);
            runProcess();
        }
        require(cluster.areAllCommitted(), "ended, and not all is committed: " + cluster.inputs.values(), null);
        if (inOrder) {
            cluster.requireOrder();
        }
    }

    private void runProcess() {
        begin();
        try {
            loop().run();
            cluster.throwViolation();
            Throwable failure = context.failure;
            if (crashed) {
                require(failure instanceof Crash, "did not die of the crash", failure);
                if (more.nextBoolean()) {
                    // Only the owner's thread is gone: the sink keeps working for a moment, and the run closes what is
                    // open.
                    while (more.nextInt(5) != 0) {
                        stepSegment();
                        sink().stepCommitter();
                    }
                    sink().close();
                }
                return;
            }
            require(isLegitimate(failure), "the run has failed", failure);
            String leftUndone = loop().close(Duration.ZERO);
            if (bounded && sourceEnded && !stopped && failure == null) {
                // With a partition that goes at the end, more may be finished than can be committed.
                require(doubts || isTight || leftUndone.isEmpty(), "ended, and left undone: " + leftUndone, null);
                if (leftUndone.isEmpty()) {
                    requireRead();
                    through = begunCalmly;
                }
            }
            while (more.nextBoolean()) {
                producers.forEach(TransactionProducer::answerSome);
                sink().stepCommitter();
            }
            sink().close();
            cluster.throwViolation();
            throwIfBroken(context.failure);
        } finally {
            producers.forEach(TransactionProducer::die);
            sink().kill();
            transitions.addAll(sink().transitions());
        }
    }

    /** A bounded read that has come to its end by itself has done all there was in the partitions that it had. */
    private void requireRead() {
        cluster.inputs.values().stream()
                .filter(input -> input.ours && input.owned && input.placed)
                .forEach(input -> require(
                        TransactionCluster.isCommitted(input, Objects.requireNonNull(ends.get(input.id))),
                        "ended, and not done up to " + ends.get(input.id) + ": " + input,
                        null));
    }

    /**
     * Returns whether a failure is legitimate: it fails a run though nothing is wrong, in a world that was not calm
     * when it began.
     */
    private boolean isLegitimate(@Nullable Throwable failure) {
        return failure == null
                || (!begunCalmly && failure instanceof KafkaPipelineException)
                || failure instanceof Cancelled;
    }

    /** The operators have failed. */
    private static final class Cancelled extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static void throwIfBroken(@Nullable Throwable failure) {
        if (failure instanceof AssertionError broken) {
            throw broken;
        }
    }

    private void begin() {
        client.restart();
        cluster.note("a process begins");
        run = String.format("%016x", random.nextLong());
        context = new SimulatedContext();
        buffer = new RecordBuffer(Clock.SYSTEM);
        inFlight.clear();
        elsewhere.clear();
        lookups.clear();
        producers.clear();
        outs.clear();
        ends = new HashMap<>();
        cluster.inputs.values().forEach(input -> ends.put(input.id, (long) input.end));
        begunCalmly = calm;
        crashed = false;
        stopped = false;
        sourceEnded = false;
        cancelled = false;
        closeRequested = false;
        doubts = false;
        Turns turns = new Turns(this::nanoTime, this::whileTheOwnerWaits);
        TransactionPlan plan = new TransactionPlan(
                "g", run, interval.toNanos(), commitRecords, commitBytes, TransactionCluster.TIMEOUT_NANOS);
        sink = new SimulatedSink(
                turns,
                context,
                plan,
                bounded,
                refuses,
                id -> {
                    TransactionProducer made = new TransactionProducer(this, turns, id);
                    producers.add(made);
                    return made;
                },
                this::fence,
                () -> producers.forEach(TransactionProducer::answerSome));
        loop = new ConsumerLoop(
                client,
                new ClientFetcher(client),
                settings,
                new ClientLimits(client.maxPollRecords(), Duration.ofMinutes(5), Duration.ofSeconds(30)),
                new ConsumerPlan(
                        bounded ? Subscription.topics("t").untilEnd() : Subscription.topics("t"),
                        bounded ? ends : Map.of(),
                        new Delivery.Committable(),
                        null,
                        Set.of()),
                context::fail,
                RecordOutlets.single(buffer),
                new Answers(),
                this,
                (offsets, nanos) -> false,
                sink.gate());
    }

    /** The run looks for transactions of runs that are gone; what it asks takes its time. */
    private void fence() {
        if (calm || random.nextBoolean()) {
            cluster.openOfOthers(run).forEach(cluster::fence);
        }
    }

    // ---- What happens ----------------------------------------------------------------------------------------------

    /** Draws an event that may happen within a poll only. */
    void befall() {
        if (stepsLeft <= 0 && !calm && !closeRequested && !stopped) {
            calm = true;
        }
        if (calm) {
            if (client.isExpelled() || cluster.inputs.values().stream().anyMatch(input -> !input.owned)) {
                client.rebalance(true);
            }
            return;
        }
        if (client.isExpelled() ? random.nextInt(3) == 0 : random.nextInt(25) == 0) {
            client.rebalance(false);
        }
        if (closeRequested || stopped || cancelled) {
            return;
        }
        switch (random.nextInt(250)) {
            case 0, 1 -> {
                crashed = true;
                cluster.note("crash");
                if (more.nextInt(4) == 0) {
                    // The owner's thread stands still, and the run closes its producers without it.
                    sink().close();
                }
                throw new Crash();
            }
            case 2, 3 -> {
                stopped = true;
                cluster.note("stop");
                loop().stop();
            }
            case 4 -> context.fail(new Cancelled());
            // Somebody has the ids: an administrator, or who takes this run for dead.
            case 7 -> cluster.openOf(run).forEach(cluster::fence);
            case 5, 6 -> {
                client.expel();
                if (random.nextBoolean()) {
                    // Whoever has its partitions ends what it has left open.
                    cluster.openOf(run).forEach(cluster::fence);
                }
            }
            default -> {
                // Mostly nothing.
            }
        }
    }

    void act() {
        if (calm) {
            // With little room each transaction waits until what is finished fits.
            calmSteps++;
            if (calmSteps >= (isTight ? 5 : 1) * MAX_CALM_STEPS) {
                throw new AssertionError("never comes to its end: " + cluster.inputs.values());
            }
            if (!bounded && !stopped && inFlight.isEmpty() && cluster.isThrough()) {
                stopped = true;
                through = true;
                loop().stop();
            }
        } else {
            stepsLeft--;
        }
        cancelIfFailed();
        if (!lookups.isEmpty() && random.nextInt(10) == 0) {
            lookups.remove().run();
        }
        switch (random.nextInt(20)) {
            case 0, 1, 2 -> take();
            case 3, 4, 5, 6 -> finishSome();
            case 7, 8, 9, 10 -> stepSegment();
            case 11, 12, 13, 14 -> sink().stepCommitter();
            case 15, 16 -> producers.forEach(TransactionProducer::answerSome);
            case 17 -> {
                seekSometimes();
                if (!calm) {
                    cluster.inputs.values().forEach(input -> input.grow(random, random.nextInt(4)));
                }
            }
            case 18 -> {
                cluster.expire(nowNanos);
                if (!calm) {
                    cluster.inputs.values().stream()
                            .filter(input -> random.nextBoolean())
                            .forEach(input -> cluster.workElsewhere(input, random));
                }
            }
            default -> passAtMost(TimeUnit.MILLISECONDS.toNanos(20));
        }
        requestCloseIfThrough();
    }

    /** A user seeks a partition elsewhere: not back before records already read, which would then be seen twice. */
    private void seekSometimes() {
        if (calm || random.nextInt(15) != 0) {
            return;
        }
        List<Input> all = List.copyOf(cluster.inputs.values());
        Input input = all.get(random.nextInt(all.size()));
        if (input.owned && input.placed && !input.held) {
            cluster.note("a user goes on with %s", input.id);
            var ignored = loop().control().seek(Map.of(input.id, Position.end()));
        }
    }

    /** The owner waits for the committing thread, or for the lock. */
    private void whileTheOwnerWaits(long deadlineNanos) {
        if (crashed) {
            pass(TimeUnit.SECONDS.toNanos(1));
            return;
        }
        act();
        if (random.nextInt(4) == 0 && deadlineNanos != Stage.NEVER) {
            passAtMost(Math.max(1, deadlineNanos - nowNanos));
        }
    }

    /** Committed offsets are requested, and producers with an open transaction keep working. */
    void serveWhileWaiting() {
        for (int i = 0; i < 3; i++) {
            sink().stepCommitter();
            producers.forEach(TransactionProducer::answerSome);
        }
        cluster.expire(nowNanos);
    }

    private void cancelIfFailed() {
        Throwable failure = context.failure;
        throwIfBroken(failure);
        if (failure != null && !cancelled && !crashed) {
            cancelled = true;
            cluster.note("the pipeline fails: %s", failure);
            inFlight.forEach(taken -> {
                for (int left = Math.max(1, taken.outputs) - taken.given; left > 0; left--) {
                    taken.batch.target(taken.index).abandon(taken.batch.token(taken.index));
                    if (!taken.begun) {
                        break;
                    }
                }
            });
            inFlight.clear();
            elsewhere.forEach(taken -> taken.batch.target(taken.index).abandon(taken.batch.token(taken.index)));
            elsewhere.clear();
            sink().cancel();
            requestClose(Duration.ofSeconds(random.nextInt(2)));
        }
    }

    private void requestCloseIfThrough() {
        if (sourceEnded && inFlight.isEmpty() && !cancelled) {
            sink().endInput();
            if (sink().isThrough()) {
                requestClose(Duration.ofSeconds(30));
            }
        }
    }

    private void requestClose(Duration patience) {
        if (!closeRequested) {
            cluster.note("close");
            closeRequested = true;
            loop().requestClose(patience);
        }
    }

    private void stepSegment() {
        sink().stepSegment();
        Throwable failure = sink().failure();
        if (failure != null && !cancelled && context.failure == null) {
            context.fail(failure);
        }
    }

    // ---- The operators ---------------------------------------------------------------------------------------------

    private void take() {
        if (sourceEnded || cancelled || sink().isIntakeHeld()) {
            return;
        }
        Batch<ConsumerRecord<byte[], byte[]>> batch;
        try {
            batch = buffer.take(System.nanoTime() - 1, context.meter());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (batch == null) {
            sourceEnded = true;
            return;
        }
        AckTarget last = AckTarget.NONE;
        for (int i = 0; i < batch.size(); i++) {
            if (batch.target(i) != last) {
                last = batch.target(i);
                sink().emits(last);
            }
            ConsumerRecord<byte[], byte[]> record = batch.get(i);
            Input input = cluster.input(new TopicPartition(record.topic(), record.partition()));
            inFlight.add(new Taken(batch, i, input, record.offset(), cluster.outputsOf(input, record.offset())));
        }
    }

    private void finishSome() {
        for (int n = random.nextInt(20); n > 0 && !inFlight.isEmpty() && !sink().isFull(); n--) {
            Taken taken = inOrder ? firstOfSome() : inFlight.get(random.nextInt(inFlight.size()));
            if (!taken.begun) {
                if (taken.batch.dropIfRevoked(taken.index)) {
                    cluster.note("dropped %s@%d", taken.input.id, taken.offset);
                    inFlight.remove(taken);
                    continue;
                }
                Taken other = groups && more.nextInt(4) == 0 ? another(taken) : null;
                if (other != null) {
                    group(taken, other);
                    doubts = true; // a group that loses an input at the end is left to the next run
                    continue;
                }
                begin(taken);
            }
            step(taken);
        }
    }

    /** An element that may be in a group with this one; null if there is none. */
    private @Nullable Taken another(Taken taken) {
        List<Taken> firsts = inFlight.stream()
                .filter(each -> !inOrder || isFirst(each))
                .filter(each -> each != taken && !each.begun && each.outputs > 0)
                .toList();
        if (taken.outputs == 0 || firsts.isEmpty()) {
            return null;
        }
        Taken other = firsts.get(more.nextInt(firsts.size()));
        if (other.batch.dropIfRevoked(other.index)) {
            cluster.note("dropped %s@%d", other.input.id, other.offset);
            inFlight.remove(other);
            return null;
        }
        return other;
    }

    private boolean isFirst(Taken taken) {
        return taken
                == inFlight.stream()
                        .filter(each -> each.input == taken.input)
                        .findFirst()
                        .orElseThrow();
    }

    /** Offers the records of two elements, each with the acknowledgements of both. */
    private void group(Taken first, Taken second) {
        List<Taken> both = List.of(first, second);
        JointAcknowledgement joint = new JointAcknowledgement();
        both.forEach(taken -> joint.add(taken.batch.target(taken.index), taken.batch.token(taken.index)));
        joint.retain(0, first.outputs + second.outputs - 1);
        for (Taken taken : both) {
            cluster.note("in a group: %s@%d", taken.input.id, taken.offset);
            inFlight.remove(taken);
            workedOn(taken);
            for (int part = 0; part < taken.outputs; part++) {
                offer(new Out(taken.input, taken.offset, part), joint, 0);
            }
        }
    }

    private void offer(Out out, AckTarget target, long token) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(cluster.topicOf(out), new byte[] {(byte) out.part()});
        outs.put(record.value(), out);
        cluster.note("    done %s", out);
        sink().offer(record, target, token);
    }

    private void begin(Taken taken) {
        taken.begun = true;
        if (random.nextInt(8) == 0) {
            taken.workers++;
            elsewhere.add(taken);
        }
        int more = Math.max(1, taken.outputs) - 1 + taken.workers - 1;
        if (more > 0) {
            taken.batch.target(taken.index).retain(taken.batch.token(taken.index), more);
        }
    }

    private static void workedOn(Taken taken) {
        taken.workers--;
        if (taken.workers == 0) {
            taken.input.finished.set((int) taken.offset);
        }
    }

    private void finishElsewhere() {
        Taken taken = elsewhere.remove(random.nextInt(elsewhere.size()));
        workedOn(taken);
        taken.batch.ack(taken.index);
    }

    private void step(Taken taken) {
        if (taken.outputs == 0) {
            inFlight.remove(taken);
            workedOn(taken);
            taken.batch.ack(taken.index);
            return;
        }
        Out out = new Out(taken.input, taken.offset, taken.given++);
        if (taken.given == taken.outputs) {
            inFlight.remove(taken);
            workedOn(taken);
        }
        offer(out, taken.batch.target(taken.index), taken.batch.token(taken.index));
    }

    /** The first record, in the operators, of a partition. */
    private Taken firstOfSome() {
        Set<Input> some = inFlight.stream().map(taken -> taken.input).collect(Collectors.toSet());
        Input drawn = some.stream()
                .sorted(Comparator.comparingInt(input -> input.id.partition()))
                .toList()
                .get(random.nextInt(some.size()));
        return inFlight.stream()
                .filter(taken -> taken.input == drawn)
                .findFirst()
                .orElseThrow();
    }

    /** Returns the element from which a record was made. */
    Out outOf(ProducerRecord<byte[], byte[]> record) {
        return Objects.requireNonNull(outs.get(record.value()));
    }

    // ---- Time ------------------------------------------------------------------------------------------------------

    @Override
    public long nanoTime() {
        // Other threads run between any two steps of one that asks.
        if (!elsewhere.isEmpty() && random.nextInt(20) == 0) {
            finishElsewhere();
        }
        return nowNanos;
    }

    void pass(long nanos) {
        nowNanos += nanos;
    }

    void passAtMost(long nanos) {
        nowNanos += Math.max(1, (long) (nanos * random.nextDouble()));
    }

    @Override
    public void park(long nanos) {
        if (crashed) {
            pass(nanos);
            return;
        }
        passAtMost(Math.min(nanos, TimeUnit.MILLISECONDS.toNanos(100)));
        act();
    }

    /** Brokers that answer, but for what nobody asks here. */
    private final class Answers extends SilentLookup {

        @Override
        public Map<TopicPartition, CompletionStage<Long>> offsets(
                Map<TopicPartition, Position> positions, Duration within) {
            Map<TopicPartition, CompletionStage<Long>> answers = new HashMap<>();
            positions.forEach((id, position) -> {
                CompletableFuture<Long> answer = new CompletableFuture<>();
                answers.put(id, answer);
                if (position.equals(Position.end())) {
                    lookups.add(() -> answer.complete(sought(cluster.input(id))));
                } else {
                    answer.complete(0L);
                }
            });
            return answers;
        }

        /** The logs begin at 0, and have all that is in them. */
        @Override
        public Map<TopicPartition, CompletionStage<Long>> highWatermarks(
                Collection<TopicPartition> ids, Duration within) {
            Map<TopicPartition, CompletionStage<Long>> answers = new HashMap<>();
            for (TopicPartition id : ids) {
                CompletableFuture<Long> answer = new CompletableFuture<>();
                answers.put(id, answer);
                lookups.add(() -> answer.complete((long) cluster.input(id).end));
            }
            return answers;
        }

        /** Target of a user's seek. */
        private long sought(Input input) {
            int least = (int) Math.max(input.position, input.finishedTo());
            int sought = least + random.nextInt(Math.max(input.end - least, 0) + 1);
            input.soughtTo = Math.max(input.soughtTo, sought);
            return sought;
        }

        @Override
        public CompletionStage<Described> partitions(Selection selection) {
            Set<TopicPartition> known = new HashSet<>(cluster.inputs.keySet());
            if (!calm && random.nextBoolean()) {
                // A broker that has just started.
                known.removeIf(id -> random.nextInt(3) == 0);
                cluster.note("only %s are known", known);
                doubts = true;
            }
            CompletableFuture<Described> answer = new CompletableFuture<>();
            lookups.add(() -> answer.complete(new Described(known, Map.of())));
            return answer;
        }

        @Override
        public Map<String, CompletionStage<Uuid>> topicIds(Collection<String> topics, Duration within) {
            return topics.stream()
                    .collect(Collectors.toMap(
                            topic -> topic, topic -> CompletableFuture.completedStage(new Uuid(1, 1))));
        }
    }
}
