package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.OnClose;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.AssignedPartition.PauseReason;
import dev.weir.kafka.internal.in.buffer.BatchEmission;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.DroppedRecords;
import dev.weir.kafka.internal.in.buffer.FlowControl;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.buffer.PausedPartitions;
import dev.weir.kafka.internal.in.buffer.PipelineOutlets;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.commit.CommitAhead;
import dev.weir.kafka.internal.in.commit.DeliveryCommits;
import dev.weir.kafka.internal.in.commit.MemberCommit;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.commit.OffsetTexts;
import dev.weir.kafka.internal.in.commit.TransactionGate;
import dev.weir.kafka.internal.in.fetch.ClientLimits;
import dev.weir.kafka.internal.in.fetch.OwnerWaits;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.position.BoundedRead;
import dev.weir.kafka.internal.in.position.NewPartitions;
import dev.weir.kafka.internal.in.position.StartPositions;
import dev.weir.kafka.spi.Lookup;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Runs one consumer on its owner thread. Only this thread uses the client, the fetcher, the assignment and the
 * trackers. Other threads reach the owner thread through {@link OwnerRequests} and {@link OwnerWaits#wake}.
 *
 * <p>Some user code runs on the owner thread: the function for commit metadata, the client's interceptors and, without
 * separate fetch threads, the decoder of a {@link ViewSource}. The thread waits for the pipeline only during a
 * rebalance, until the records of revoked partitions are finished or a deadline has passed.
 */
final class ConsumerLoop implements Runnable {

    private final Consumer<?, ?> client;
    private final RecordFetcher fetcher;
    private final OnClose onClose;
    private final ConsumerPlan plan;
    private final Subscription subscription;
    private final OwnerClock clock;
    private final PartitionAssignment assignment;
    private final FlowControl flow;
    private final BatchEmission emission;
    private final PausedPartitions pauses = new PausedPartitions();
    private final OffsetCommits commits;
    private final DeliveryCommits delivery;
    private final OwnerRequests requests;
    private final ConsumerOwner owner;
    private final PipelineReaders readers = new PipelineReaders();
    private final StartPositions positions;
    private final NewPartitions newPartitions;
    private final BoundedRead boundedRead;
    private final ConsumerObserver observer;
    private final PartitionArrivals arrivals;
    private final RebalanceHandler rebalances;
    private final PollIntake intake;
    private final ConsumerEnding ending;
    private final ConsumerControl control;

    /** The components that take part in giving up partitions. */
    record Parts(
            ConsumerOwner owner,
            PartitionAssignment assignment,
            BatchEmission emission,
            PollIntake intake,
            DeliveryCommits delivery,
            RebalanceHooks hooks,
            ConsumerObserver observer,
            PipelineReaders readers,
            OwnerClock clock) {}

    /** Set before the first pipeline reads; null if the consumer is not reusable. */
    private volatile @Nullable PartitionParking parking;

    ConsumerLoop(
            Consumer<?, ?> client,
            RecordFetcher fetcher,
            ConsumerSettings<?, ?> settings,
            ClientLimits limits,
            ConsumerPlan plan,
            java.util.function.Consumer<Throwable> onFailure,
            RecordOutlets outlets,
            Lookup lookup,
            OwnerClock clock,
            MemberCommit direct,
            @Nullable TransactionGate transactions) {
        this.client = client;
        this.fetcher = fetcher;
        this.onClose = settings.onClose();
        this.plan = plan;
        this.subscription = plan.subscription();
        this.clock = clock;
        OwnerWaits waiting = new OwnerWaits(fetcher, clock);
        this.requests = new OwnerRequests(waiting, clock);
        this.owner = new ConsumerOwner(waiting, requests, onFailure);
        this.commits = new OffsetCommits(client, fetcher, settings, lookup, clock, direct);
        this.flow = new FlowControl(
                settings, plan.isTracked() ? 1 : plan.batchSize(), limits.partitionFetchBytes(), clock, owner::wake);
        this.delivery = DeliveryCommits.of(
                plan.delivery(),
                commits,
                transactions,
                records -> new CommitAhead(commits, outlets, records, pauses::isPaused, waiting, clock));
        this.emission = new BatchEmission(plan, delivery.gate(), outlets, owner);
        FlowLimits flowLimits = new FlowLimits(flow, settings);
        int trackerCapacity = flowLimits.mostOutstandingRecords() + limits.maxPollRecords();
        DroppedRecords dropped = new DroppedRecords(plan.isTracked());
        this.assignment = new PartitionAssignment(
                plan, fetcher, outlets, flow, emission, pauses, trackerCapacity, owner, dropped);
        this.positions = new StartPositions(assignment, plan, settings, commits, lookup, clock, owner, delivery);
        this.newPartitions =
                new NewPartitions(plan, assignment, lookup, clock, limits.metadataAge(), owner, this::assignAlso);
        this.boundedRead =
                new BoundedRead(plan, client, fetcher, lookup, clock, owner, assignment, emission, positions, commits);
        OpenTransactions open =
                new OpenTransactions(owner, fetcher, assignment, lookup, clock, readsCommitted(settings));
        PartitionReadings looks = new PartitionReadings(
                owner, fetcher, flow, pauses, lookup, clock, plan.isTracked(), delivery, this::trouble, open);
        UnfinishedFinder finder = new UnfinishedFinder(readers);
        this.observer = new ConsumerObserver(
                owner, assignment, commits, looks, clock, plan.reads(), finder, limits.maxPollInterval());
        RevokeTimes times = RevokeTimes.of(settings, limits.maxPollInterval());
        RebalanceHooks hooks = new RebalanceHooks(
                owner, assignment, commits, settings.rebalanceListener(), plan.external(), waiting, clock, times);
        this.arrivals = new PartitionArrivals(owner, fetcher, assignment, commits, positions, hooks, observer);
        this.intake = new PollIntake(
                waiting, fetcher, assignment, flow, emission, positions, observer, clock, settings, plan);
        Parts parts = new Parts(owner, assignment, emission, intake, delivery, hooks, observer, readers, clock);
        this.rebalances = new RebalanceHandler(parts, arrivals, waiting, times);
        this.ending = new ConsumerEnding(parts, pauses);
        this.control = new ConsumerControl(
                owner, observer, pauses, assignment, positions, delivery::pausesChanged, flowLimits);
    }

    private static boolean readsCommitted(ConsumerSettings<?, ?> settings) {
        return "read_committed".equalsIgnoreCase(settings.properties().get(ConsumerConfig.ISOLATION_LEVEL_CONFIG));
    }

    // ---- Any thread ------------------------------------------------------------------------------------------------

    /** Requests the end of emission. Records already emitted can still be finished and committed. */
    void stop() {
        requests.stop();
    }

    /**
     * Requests a close and waits until the consumer and its owner thread have ended. Returns a description of the
     * unfinished work. See {@link dev.weir.stream.spi.StageContext.Termination}.
     */
    String close(Duration patience) {
        requestClose(patience);
        return owner.awaitEnd();
    }

    void requestClose(Duration patience) {
        requests.close(patience);
    }

    boolean isTracked() {
        return plan.isTracked();
    }

    void taken() {
        delivery.taken();
    }

    /** Stops emitting the records of a partition whose stream the pipeline no longer reads. */
    void abandon(AssignedPartition announced) {
        execute(() -> {
            // A seek replaces the partition object but keeps the buffer. A new assignment of the partition has a new
            // buffer.
            AssignedPartition partition = assignment.get(announced.id());
            if (partition != null && partition.outlet() == announced.outlet()) {
                emission.takeBack(List.of(partition));
                assignment.pause(partition, PauseReason.END);
            }
        });
    }

    /** Logs the start and sets the consumer's name for the log. Call before the owner thread starts. */
    void begins(String name, ConsumerSettings<?, ?> settings) {
        observer.runLog().begins(name, settings, subscription, delivery.guarantee());
    }

    /** Sets the supplier of the pipelines that read from this consumer. */
    void readBy(Supplier<Collection<StageContext>> newReaders) {
        readers.set(newReaders);
    }

    /** Allows several pipelines to read from this consumer. Must be called before the first of them reads. */
    PartitionParking share(PipelineOutlets outlets) {
        PartitionParking shared = new PartitionParking(owner, assignment, pauses, emission, commits, outlets, clock);
        parking = shared;
        return shared;
    }

    void execute(Runnable request) {
        owner.execute(request);
    }

    ConsumerControl control() {
        return control;
    }

    // ---- Owner thread ----------------------------------------------------------------------------------------------

    @Override
    public void run() {
        owner.own();
        try {
            subscribe();
            while (!requests.isClose()) {
                turn();
                // Clear the signal before the next iteration checks everything that may have raised it.
                owner.clearSignal();
            }
            ending.finishUnfinished();
        } catch (KafkaException failure) {
            fail(new KafkaPipelineException(
                    "consuming " + subscription.selection() + " failed: " + OffsetTexts.messageOf(failure), failure));
        } catch (RuntimeException | Error failure) {
            fail(failure);
        } finally {
            end();
        }
    }

    private void fail(Throwable failure) {
        owner.fail(failure);
        observer.runLog().fails(failure);
    }

    private void subscribe() {
        delivery.begin(client, assignment, positions::assigned, owner, clock);
        positions.begin();
        if (!plan.ungrouped().isEmpty()) {
            assignAlso(plan.ungrouped());
            return;
        }
        switch (subscription.selection()) {
            case Subscription.Topics topics -> client.subscribe(topics.names(), rebalances);
            case Subscription.Matching matching -> client.subscribe(Pattern.compile(matching.regex()), rebalances);
            case Subscription.Partitions partitions -> assignAlso(partitions.ids());
        }
    }

    private void assignAlso(Collection<TopicPartition> ids) {
        Set<TopicPartition> all = new HashSet<>(assignment.ids());
        all.addAll(ids);
        client.assign(all);
        arrivals.assigned(ids);
    }

    private void turn() {
        if (requests.isStop()) {
            ending.stopEmission();
        }
        requests.run();
        flow.resumeLow(assignment.all(), fetcher);
        commits.throwFatal();
        delivery.commitIfDue(assignment.all());
        newPartitions.lookIfDue();
        positions.askIfDue();
        intake.poll(Math.min(Math.min(untilDetached(), positions.nanosUntilDue()), delivery.nanosUntilDue()));
        observer.lookIfDue();
        if (subscription.isBounded() && owner.isEmitting() && boundedRead.isAllRead() && delivery.isSettled()) {
            ending.drain();
        }
    }

    private long untilDetached() {
        PartitionParking shared = parking;
        return shared == null ? Long.MAX_VALUE : Math.max(1, shared.detachFinished());
    }

    private void end() {
        List<String> leftUndone = new ArrayList<>();
        try {
            ending.commitAtLast(leftUndone);
            boundedRead.addUnread(arrivals.returned(), leftUndone);
        } catch (RuntimeException | Error failure) {
            fail(failure);
        } finally {
            try {
                ending.closeClient(client, fetcher, onClose);
                commits.close();
            } catch (Error failure) {
                owner.fail(failure);
            } finally {
                try {
                    observer.runLog().ended(leftUndone);
                } finally {
                    // always, because a thread may wait in close()
                    owner.ended(String.join("; ", leftUndone));
                    control.ended();
                }
            }
        }
    }

    PartitionAssignment assignment() {
        return assignment;
    }

    private @Nullable String trouble(AssignedPartition partition) {
        String trouble = positions.trouble(partition);
        return trouble == null ? boundedRead.trouble(partition) : trouble;
    }
}
