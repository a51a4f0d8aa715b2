package dev.weir.lean.share;

import dev.weir.lean.share.AcquiredRange.Lock;
import dev.weir.lean.share.ShareSession.Turn;
import dev.weir.lean.spi.MessageNetwork;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * A member's sessions, one with each broker that leads a partition of the member. Requests at most as many records as
 * there are credits, renews locks, and acknowledges finished records. Confined to the member's thread, except for
 * {@link #ended}, {@link #span}, {@link #lockMillis} and {@link #batchRecords}.
 */
final class ShareSessions implements AutoCloseable {

    private static final long TICK_NANOS = 10_000_000;
    private static final long IDLE_NANOS = 50_000_000;

    /** Delay until the next turn while records are acquired, more are wanted, and no acknowledgement is urgent. */
    private static final long FED_NANOS = 25_000_000;

    /** Delay until the next turn if a session is at its limit. */
    private static final long FULL_NANOS = 1_000_000;

    /** A session and its connection. */
    private record Line(ShareSession session, MessageNetwork.Channel channel) {}

    private final ShareRequests requests;
    private final ShareCluster cluster;
    private final MessageNetwork network;
    private final AcquiredRecordReceiver receiver;
    private final Runnable onMoved;
    private final LockRenewals locks;
    private final AcquiredRecordsReader deliveries;
    private final FetchRefusals refusals = new FetchRefusals();
    private final Map<Integer, Line> lines = new LinkedHashMap<>();
    private int workers = Integer.MAX_VALUE;
    private int credits = 1;
    private long window = Long.MAX_VALUE;
    private boolean closing;
    private long nowNanos;

    // Used by other threads, too.
    private final FinishedRecords ended = new FinishedRecords();
    private volatile long span;

    /**
     * Creates the object without opening a session.
     *
     * @param onMoved called when a partition may have moved to another broker, so that {@link #settle} must be called
     */
    ShareSessions(
            ShareRequests requests,
            ShareCluster cluster,
            MessageNetwork network,
            AcquiredRecordReceiver receiver,
            ShareMember.Reading reading,
            Runnable onMoved) {
        this.requests = requests;
        this.cluster = cluster;
        this.network = network;
        this.receiver = receiver;
        this.onMoved = onMoved;
        this.locks = new LockRenewals(receiver);
        this.deliveries = new AcquiredRecordsReader(receiver, reading);
    }

    void workers(int most) {
        workers = most;
    }

    void plan(int newCredits, boolean wholeBatches, int newWindow) {
        credits = Math.max(1, newCredits);
        window = newWindow;
        requests.wholeBatches(wholeBatches);
    }

    /**
     * Reports that the processing of a record has ended. Returns true if the member should wake for its next turn. May
     * be called from any thread.
     */
    boolean ended(LockedRecord locked) {
        return ended.add(locked);
    }

    /** See {@link ShareMember#span}. May be called from any thread. */
    long span() {
        return span;
    }

    /** See {@link ShareMember#lockMillis}. May be called from any thread. */
    int lockMillis() {
        return locks.millis();
    }

    /** See {@link ShareMember#batchRecords}. May be called from any thread. */
    double batchRecords() {
        return deliveries.batchRecords();
    }

    void at(long now) {
        nowNanos = now;
    }

    /** Returns the number of records that are acquired and not finished. */
    int open() {
        int open = 0;
        for (Line line : lines.values()) {
            open += line.session.partitions.open();
        }
        return open;
    }

    /** Returns the acquired records whose processing has not ended. */
    List<LockedRecord> openRecords() {
        List<LockedRecord> open = new ArrayList<>();
        for (Line line : lines.values()) {
            for (AcquiredRanges of : line.session.partitions.acquired()) {
                of.all().forEach(range -> range.addOpenTo(open));
            }
        }
        open.removeIf(RestOfBatch.class::isInstance);
        return open;
    }

    /** Releases all unfinished records, because nobody will finish them. Returns their number. */
    int giveUp() {
        int given = 0;
        for (Line line : lines.values()) {
            for (AcquiredRanges of : line.session.partitions.acquired()) {
                given += locks.giveUp(of, nowNanos);
            }
        }
        return given;
    }

    /** Assigns each partition to the session with the broker that leads it. */
    void settle(Map<Uuid, Set<Integer>> assigned) {
        Map<Integer, List<TopicIdPartition>> byLeader = new HashMap<>();
        assigned.forEach((topic, numbers) -> numbers.forEach(number -> {
            TopicIdPartition id = cluster.partition(topic, number);
            Integer leader = id == null ? null : cluster.leader(id);
            if (id == null || leader == null) {
                cluster.doubtLeaders();
            } else {
                byLeader.computeIfAbsent(leader, each -> new ArrayList<>()).add(id);
            }
        }));
        byLeader.keySet().forEach(this::line);
        lines.forEach((node, line) -> line.session.partitions.want(byLeader.getOrDefault(node, List.of())));
    }

    private void line(int node) {
        lines.computeIfAbsent(node, each -> {
            ShareSession session = new ShareSession(node, requests, receiver, new OfSession());
            return new Line(
                    session, network.open("broker " + node, () -> cluster.addresses(node), new OfLine(session)));
        });
    }

    /** Notes the records whose processing has ended since the last call. */
    void takeEnded() {
        ended.takeAll(this::take);
    }

    private void take(LockedRecord locked) {
        AcknowledgeType outcome = locked.outcome();
        if (end(locked, outcome) && outcome == AcknowledgeType.RELEASE) {
            receiver.goesBack(locked);
        }
        deliveries.unreadable().ended(locked);
    }

    private boolean end(LockedRecord locked, AcknowledgeType outcome) {
        for (Line line : lines.values()) {
            if (line.session.partitions.end(locked, outcome.id, nowNanos)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Renews and releases locks, and sends requests that are due.
     *
     * @return delay in nanoseconds until the next turn, unless an event comes first
     */
    long turn() {
        boolean ends = receiver.isEnded();
        deliveries.unreadable().takeEnded(this::end);
        long widest = 0;
        for (Line line : lines.values()) {
            for (AcquiredRanges of : line.session.partitions.acquired()) {
                locks.attend(of, nowNanos, window, ends);
                widest = Math.max(widest, of.span());
            }
        }
        span = widest;
        return talk(ends);
    }

    private long talk(boolean ends) {
        boolean wants = !ends && receiver.hasDemand();
        int free = credits - open();
        for (Line line : lines.values()) {
            free -= line.session.asked();
        }
        CreditDivision shares = CreditDivision.of(
                credits,
                workers,
                batchRecords(),
                lines.values().stream().map(Line::session).toList());
        int threshold = Integer.MAX_VALUE;
        boolean full = false;
        // The session that has waited longest is the first to get free credits.
        List<Line> inTurn = new ArrayList<>(lines.values());
        inTurn.sort(Comparator.comparingLong(line -> line.session.fetchedNanos() - nowNanos));
        for (Line line : inTurn) {
            ShareSession session = line.session;
            int most = shares.of(session);
            int may = wants ? Math.max(0, Math.min(free, most)) : 0;
            Turn turn = new Turn(may, Math.min(shares.threshold(), most), window, ends);
            boolean over = closing && session.isQuiet();
            if (!session.hasEnded() || !session.isQuiet() || (session.partitions.areWanted() && !closing)) {
                free -= talk(line, turn, over);
            }
            // Do not wake the member for each finished record of a full session: most of them free few locks.
            boolean waits = !session.isUnderWay() && session.partitions.areFull(window);
            full |= waits;
            if (!session.isUnderWay() && !waits) {
                threshold = Math.min(threshold, turn.threshold());
            }
        }
        lines.values().removeIf(ShareSessions::isSpare);
        boolean idle = threshold < Integer.MAX_VALUE;
        int worthWaking = idle && wants ? Math.max(1, threshold - free) : Integer.MAX_VALUE;
        ended.wakeFrom(worthWaking);
        if (ended.count() >= worthWaking) {
            return 0; // These records were added before wakeFrom() was called, so they did not wake the member.
        }
        if (full && wants) {
            return FULL_NANOS;
        }
        if (open() > 0 || ends) {
            return wants && !isHurried() ? FED_NANOS : TICK_NANOS;
        }
        return wants ? IDLE_NANOS : 2 * TICK_NANOS;
    }

    /** Returns whether acknowledgements are urgent, because a window of acquired offsets is almost full. */
    private boolean isHurried() {
        for (Line line : lines.values()) {
            for (AcquiredRanges of : line.session.partitions.acquired()) {
                if (of.pending.isHurried() || of.unacknowledgedSpan() >= LockRenewals.TIGHT * window) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Sends the next request of a session, if one is due. Returns the number of records that it requests. */
    private int talk(Line line, Turn turn, boolean over) {
        if (line.session.isUnderWay() || !line.channel.canSend()) {
            return 0;
        }
        ApiMessage request = over ? line.session.last(nowNanos) : line.session.next(nowNanos, turn);
        if (request == null) {
            return 0;
        }
        line.channel.send(request, ShareRequests.VERSION);
        return line.session.asked();
    }

    private static boolean isSpare(Line line) {
        boolean spare = !line.session.partitions.areWanted() && line.session.isQuiet();
        if (spare) {
            // The session has no acquired records: close the connection, which ends the session at the broker.
            line.channel.drop();
        }
        return spare;
    }

    /** Ends each session as soon as nothing is acquired and no acknowledgement is pending. */
    void end() {
        closing = true;
    }

    boolean haveEnded() {
        return lines.values().stream().allMatch(line -> line.session.isQuiet() && line.session.hasEnded());
    }

    /** Reports all unfinished records as lost, and closes the connections. */
    @Override
    public void close() {
        lines.values().forEach(line -> {
            line.channel.drop();
            line.session.lost();
        });
        deliveries.close();
    }

    private final class OfSession implements SessionAnswers {

        @Override
        public int handOn(List<PartitionAnswer> partitionAnswers, long askedNanos, long now) {
            Lock lock = new Lock(askedNanos, lockNanos());
            int before = open();
            int bytes = 0;
            for (PartitionAnswer each : partitionAnswers) {
                refusals.acquired(each.of().id);
                for (AcquiredRange range : deliveries.read(each.of(), each.data(), lock, now)) {
                    each.of().add(range).forEach(receiver::lost);
                }
                bytes += each.data().records() == null
                        ? 0
                        : each.data().records().sizeInBytes();
            }
            receiver.acquiredAll();
            int records = open() - before;
            if (records > 0) {
                requests.saw(records, bytes);
            }
            return records;
        }

        @Override
        public long lockNanos() {
            return locks.nanos();
        }

        @Override
        public boolean isNews(TopicIdPartition partition, Errors error) {
            return refusals.isNews(partition, error);
        }

        @Override
        public void moved(TopicIdPartition partition) {
            cluster.forget(partition);
            onMoved.run();
        }

        @Override
        public void leads(TopicIdPartition partition, int leader, int epoch, @Nullable InetSocketAddress address) {
            cluster.hint(partition, leader, epoch, address);
        }

        @Override
        public void moved() {
            cluster.doubtLeaders();
            onMoved.run();
        }
    }

    private final class OfLine implements MessageNetwork.Receiver {

        private final ShareSession session;

        OfLine(ShareSession session) {
            this.session = session;
        }

        @Override
        public void answered(ApiMessage answer) {
            switch (answer) {
                case ShareFetchResponseData fetched -> {
                    lockedFor(fetched.acquisitionLockTimeoutMs());
                    session.answered(fetched, nowNanos);
                }
                case ShareAcknowledgeResponseData taken -> {
                    lockedFor(taken.acquisitionLockTimeoutMs());
                    session.answered(taken, nowNanos);
                }
                default -> throw new IllegalStateException("an answer without a request: " + answer);
            }
        }

        private void lockedFor(int millis) {
            if (millis > 0) {
                locks.millis(millis);
            }
        }

        @Override
        public void lost(String why) {
            session.lost();
        }
    }
}
