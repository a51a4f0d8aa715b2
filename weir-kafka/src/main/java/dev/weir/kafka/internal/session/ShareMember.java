package dev.weir.kafka.internal.session;

import dev.weir.kafka.internal.session.LentRange.Lock;
import dev.weir.kafka.internal.session.Session.Turn;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * A member of a share group: joins it, keeps a session with each broker that leads one of its partitions, borrows no
 * more records than it has credits for, looks after their locks, and tells how their work ended. It has neither
 * thread nor socket: {@link #turn} does what is due. Confined to one thread, but for {@link #ended}, {@link #isJoined},
 * {@link #span} and {@link #lockMillis}.
 */
public final class ShareMember implements AutoCloseable {

    private static final short HEARTBEAT_VERSION = 1;
    private static final long TICK_NANOS = 10_000_000;
    private static final long IDLE_NANOS = 50_000_000;

    /** Where more than enough is lent: the end of a record is told with the next fetch, which somebody wakes it for. */
    private static final long FED_NANOS = 25_000_000;

    /** Where the next record that ends may be the one that everything waits for. */
    private static final long FULL_NANOS = 1_000_000;

    /** How large a part of the credits is worth a request, as long as no acknowledgement waits. */
    private static final int WORTHWHILE = 4;

    /** The same of the records that wait beside those that are worked on, if that is more: the others are enough. */
    private static final int WORTHWHILE_OF_STORE = 2;

    /** The part of a session that found nothing, while others do find something. */
    private static final int PROBE = 8;

    /**
     * Who the member is.
     *
     * @param member its id; brokers read it as one of Kafka's own form
     */
    public record Identity(
            String member, String group, List<String> topics, List<InetSocketAddress> bootstrap, boolean checksCrc) {}

    /** A session and its connection. */
    private record Line(Session session, Network.Channel channel) {}

    private final Network network;
    private final Borrower borrower;
    private final Membership membership;
    private final Directory directory;
    private final Requests requests;
    private final Locks locks;
    private final Deliveries deliveries;
    private final Network.Channel asker;
    private final List<InetSocketAddress> bootstrap;
    private final Map<Integer, Line> lines = new LinkedHashMap<>();
    private final Refusals refusals = new Refusals();
    private Network.@Nullable Channel coordinator;
    private @Nullable InetSocketAddress coordinatorAddress;
    private boolean moved;
    private int workers = Integer.MAX_VALUE;
    private int credits = 1;
    private long window = Long.MAX_VALUE;
    private boolean closing;
    private long nowNanos;

    // Shared with those who end work.
    private final EndedLoans ended = new EndedLoans();
    private volatile long span;
    private volatile boolean joined;

    public ShareMember(Identity identity, Network network, Borrower borrower) {
        this.network = network;
        this.borrower = borrower;
        this.bootstrap = identity.bootstrap();
        this.membership = new Membership(identity.member(), identity.group(), identity.topics(), borrower);
        this.directory = new Directory(identity.group(), identity.topics(), borrower);
        this.requests = new Requests(identity.group(), membership.id());
        this.deliveries = new Deliveries(borrower, identity.checksCrc());
        this.locks = new Locks(borrower);
        this.asker = network.open("bootstrap", this::askable, new OfDirectory());
    }

    private List<InetSocketAddress> askable() {
        List<InetSocketAddress> all = directory.addresses();
        all.addAll(bootstrap);
        return all;
    }

    /** At most so many records are worked on at a time; of what is out beyond them, a part can wait to be replaced. */
    public void workers(int most) {
        workers = most;
    }

    /**
     * What is asked for.
     *
     * @param newCredits records that may be out at once
     * @param wholeBatches whether brokers lend whole batches
     * @param locks offsets of a partition that may be lent at once
     */
    public void plan(int newCredits, boolean wholeBatches, int locks) {
        credits = Math.max(1, newCredits);
        window = locks;
        requests.wholeBatches(wholeBatches);
    }

    /** The work on a record ended. Any thread; true if the next turn should come now. */
    public boolean ended(Loan loan) {
        return ended.add(loan);
    }

    /** Whether the group knows it and has given it partitions. Any thread. */
    public boolean isJoined() {
        return joined;
    }

    /** Offsets of the partition that stretches widest from its first unfinished record on. Any thread. */
    public long span() {
        return span;
    }

    /** For which a record is lent; 0 as long as nothing was. Any thread. */
    public int lockMillis() {
        return locks.millis();
    }

    /** Mean size of a producer's batch, in records; 0 as long as none was seen. Any thread. */
    public double batchRecords() {
        return deliveries.batchRecords();
    }

    /** Records that are lent and not done. */
    public int open() {
        int open = 0;
        for (Line line : lines.values()) {
            open += line.session.partitions.open();
        }
        return open;
    }

    /** It is now this time: for the answers that come before the next turn. */
    public void at(long now) {
        nowNanos = now;
    }

    /**
     * Does what is due.
     *
     * @return after how many nanoseconds to come again, unless something comes first
     */
    public long turn(long now) {
        nowNanos = now;
        ended.takeAll(this::take);
        if (directory.isDue(now) && asker.canSend()) {
            ApiMessage question = directory.next(now);
            boolean finds = question instanceof FindCoordinatorRequestData;
            asker.send(question, finds ? Directory.COORDINATOR_VERSION : Directory.METADATA_VERSION);
        }
        beat();
        joined = membership.isJoined();
        if (moved) {
            moved = false;
            settle();
        }
        boolean ends = borrower.isEnded();
        long widest = 0;
        for (Line line : lines.values()) {
            for (Lent of : line.session.partitions.lent()) {
                locks.attend(of, now, window, ends);
                widest = Math.max(widest, of.span());
            }
        }
        span = widest;
        return talk(ends);
    }

    private void take(Loan loan) {
        for (Line line : lines.values()) {
            LentRange range = line.session.partitions.find(loan);
            AcknowledgeType outcome = loan.outcome();
            if (range != null && range.end(loan, outcome.id, nowNanos)) {
                if (outcome == AcknowledgeType.RELEASE) {
                    borrower.goesBack(loan);
                }
                return;
            }
        }
    }

    private void beat() {
        InetSocketAddress address = directory.coordinator();
        if (address == null) {
            return;
        }
        if (!address.equals(coordinatorAddress)) {
            if (coordinator != null) {
                coordinator.drop();
                membership.lost("it is another broker", nowNanos);
            }
            coordinatorAddress = address;
            coordinator = network.open("coordinator", () -> List.of(address), new OfMembership());
        }
        if (coordinator != null && membership.isDue(nowNanos) && coordinator.canSend()) {
            coordinator.send(membership.next(), HEARTBEAT_VERSION);
        }
    }

    /** Gives each partition to the session with its leader. */
    private void settle() {
        Map<Integer, List<TopicIdPartition>> byLeader = new HashMap<>();
        membership
                .assigned()
                .forEach((topic, numbers) -> numbers.forEach(number -> {
                    TopicIdPartition id = directory.partition(topic, number);
                    Integer leader = id == null ? null : directory.leader(id);
                    if (id == null || leader == null) {
                        directory.wantLeaders();
                    } else {
                        byLeader.computeIfAbsent(leader, each -> new ArrayList<>())
                                .add(id);
                    }
                }));
        byLeader.keySet().forEach(this::line);
        lines.forEach((node, line) -> line.session.partitions.want(byLeader.getOrDefault(node, List.of())));
    }

    private void line(int node) {
        lines.computeIfAbsent(node, each -> {
            Session session = new Session(node, requests, borrower, new OfSession());
            return new Line(session, network.open("broker " + node, () -> address(node), new OfLine(session)));
        });
    }

    private List<InetSocketAddress> address(int node) {
        InetSocketAddress address = directory.address(node);
        return List.of(Objects.requireNonNull(address, () -> "address of broker " + node));
    }

    private long talk(boolean ends) {
        boolean wants = !ends && borrower.hasDemand();
        int free = credits - open();
        int finding = 0;
        int wanted = 0;
        for (Line line : lines.values()) {
            free -= line.session.asked();
            wanted += line.session.partitions.areWanted() ? 1 : 0;
            finding += line.session.partitions.areWanted() && !line.session.foundNothing() ? 1 : 0;
        }
        int sessions = Math.max(1, finding == 0 ? wanted : finding);
        int share = Math.max(1, Math.ceilDiv(credits, sessions));
        int ofStore = Math.max(0, credits - workers) / WORTHWHILE_OF_STORE / sessions;
        int threshold = Math.max(1, Math.max(share / WORTHWHILE, ofStore));
        boolean idle = false;
        boolean full = false;
        for (Line line : lines.values()) {
            Session session = line.session;
            int most = finding > 0 && session.foundNothing() ? Math.max(1, share / PROBE) : share;
            int may = wants ? Math.max(0, Math.min(free, most)) : 0;
            Turn turn = new Turn(may, Math.min(threshold, most), window, ends);
            boolean over = closing && session.isQuiet();
            if (!session.hasEnded() || !session.isQuiet() || (session.partitions.areWanted() && !closing)) {
                free -= talk(line, turn, over);
            }
            // Where all is lent, few of the records that end make room: they are not worth a turn each.
            boolean waits = !session.isUnderWay() && session.partitions.areFull(window);
            full |= waits;
            idle |= !session.isUnderWay() && !waits;
        }
        lines.values().removeIf(this::isSpare);
        int worthWaking = idle && wants ? Math.max(1, threshold - free) : Integer.MAX_VALUE;
        ended.wakeFrom(worthWaking);
        if (ended.count() >= worthWaking) {
            return 0; // They came before anybody was to be woken.
        }
        if (full && wants) {
            return FULL_NANOS;
        }
        if (open() > 0 || ends) {
            return wants && !isHurried() ? FED_NANOS : TICK_NANOS;
        }
        return wants ? IDLE_NANOS : 2 * TICK_NANOS;
    }

    /** Whether room in some window of locks waits for acknowledgements. */
    private boolean isHurried() {
        for (Line line : lines.values()) {
            for (Lent of : line.session.partitions.lent()) {
                if (of.outbox.isHurried() || of.untoldSpan() >= Locks.TIGHT * window) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns how many records it asked for. */
    private int talk(Line line, Turn turn, boolean over) {
        if (line.session.isUnderWay() || !line.channel.canSend()) {
            return 0;
        }
        ApiMessage request = over ? line.session.last(nowNanos) : line.session.next(nowNanos, turn);
        if (request == null) {
            return 0;
        }
        line.channel.send(request, Requests.VERSION);
        return line.session.asked();
    }

    private boolean isSpare(Line line) {
        boolean spare = !line.session.partitions.areWanted() && line.session.isQuiet();
        if (spare) {
            // With its connection the broker ends the session, which holds nothing.
            line.channel.drop();
        }
        return spare;
    }

    /** Those on which the work has not ended. */
    public List<Loan> openLoans() {
        List<Loan> open = new ArrayList<>();
        for (Line line : lines.values()) {
            for (Lent of : line.session.partitions.lent()) {
                of.all().forEach(range -> range.addOpenTo(open));
            }
        }
        return open;
    }

    /** Ends the work on all that is lent, which nobody will finish; returns how many there were. */
    public int giveUp() {
        int given = 0;
        for (Line line : lines.values()) {
            for (Lent of : line.session.partitions.lent()) {
                given += locks.giveUp(of, nowNanos);
            }
        }
        return given;
    }

    /** From now on sessions end as soon as nothing is lent and nothing is to be told. */
    public void end() {
        closing = true;
    }

    /** Whether all sessions have ended. */
    public boolean hasEnded() {
        return lines.values().stream().allMatch(line -> line.session.isQuiet() && line.session.hasEnded());
    }

    /** Says goodbye to the group. */
    public void leave() {
        membership.leave();
    }

    public boolean hasLeft() {
        return membership.isGone() || coordinator == null;
    }

    /** Loses all that is still lent, and closes all connections. */
    @Override
    public void close() {
        lines.values().forEach(line -> {
            line.channel.drop();
            line.session.lost();
        });
        if (coordinator != null) {
            coordinator.drop();
        }
        asker.drop();
        deliveries.close();
    }

    private final class OfSession implements Answers {

        @Override
        public int lend(List<Lending> lendings, long askedNanos, long now) {
            Lock lock = new Lock(askedNanos, lockNanos());
            int before = open();
            int bytes = 0;
            for (Lending each : lendings) {
                refusals.lent(each.of().id);
                for (LentRange range : deliveries.read(each.of(), each.data(), lock, now)) {
                    each.of().add(range).forEach(borrower::lost);
                }
                bytes += each.data().records() == null
                        ? 0
                        : each.data().records().sizeInBytes();
            }
            borrower.lentAll();
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
            directory.forget(partition);
            moved();
        }

        @Override
        public void moved() {
            moved = true;
            directory.wantLeaders();
        }
    }

    private final class OfLine implements Network.Receiver {

        private final Session session;

        OfLine(Session session) {
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
                default -> throw new IllegalStateException("an answer that nobody asked for: " + answer);
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

    private final class OfMembership implements Network.Receiver {

        @Override
        public void answered(ApiMessage answer) {
            if (membership.answered((ShareGroupHeartbeatResponseData) answer, nowNanos)) {
                directory.wantCoordinator();
            }
            moved = true;
        }

        @Override
        public void lost(String why) {
            membership.lost(why, nowNanos);
            directory.wantCoordinator();
        }
    }

    private final class OfDirectory implements Network.Receiver {

        @Override
        public void answered(ApiMessage answer) {
            switch (answer) {
                case FindCoordinatorResponseData found -> directory.answered(found);
                case MetadataResponseData told -> directory.answered(told);
                default -> throw new IllegalStateException("an answer that nobody asked for: " + answer);
            }
            moved = true;
        }

        @Override
        public void lost(String why) {
            directory.lost();
        }
    }
}
