package dev.weir.kafka.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData.AcknowledgementBatch;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.ShareFetchRequestData.FetchPartition;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData.PartitionData;
import org.apache.kafka.common.message.ShareFetchResponseData.ShareFetchableTopicResponse;
import org.apache.kafka.common.message.ShareGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * Three brokers with a share group, in simulated time: they lend, lock, check epochs, lose sessions and connections,
 * and move leaders as the seed wills. Confined to the test's thread.
 */
final class SimulatedGroup implements Network {

    private static final int BROKERS = 3;
    private static final long MILLI = 1_000_000;

    /** After which a group has divided its partitions among its members. */
    private static final long DIVIDES_MILLIS = 1_000;

    private record Event(long at, long order, Runnable action) {}

    /** A broker's end of the session. */
    private static final class Remote {
        private int epoch;
        private final List<Integer> partitions = new ArrayList<>();
    }

    private final class Line implements Channel {
        private final String name;
        private final Receiver receiver;
        private boolean underWay;
        private boolean dropped;
        private int life;
        private long downUntil;

        Line(String name, Receiver receiver) {
            this.name = name;
            this.receiver = receiver;
        }

        @Override
        public boolean canSend() {
            return !dropped && now >= downUntil;
        }

        @Override
        public void send(ApiMessage request, short version) {
            assertThat(underWay).as("two requests under way to %s", name).isFalse();
            underWay = true;
            requests++;
            int sentIn = life;
            ApiMessage answer = answer(this, request);
            at(now + delay(request), () -> {
                if (life == sentIn && !dropped) {
                    underWay = false;
                    answers++;
                    receiver.answered(answer);
                }
            });
        }

        @Override
        public void drop() {
            dropped = true;
            disconnected();
        }

        /** The connection breaks: the broker releases what was lent on it. */
        void cut() {
            life++;
            underWay = false;
            downUntil = now + 30 * MILLI;
            disconnected();
            receiver.lost("cut");
        }

        private void disconnected() {
            if (name.startsWith("broker ")) {
                int node = Integer.parseInt(name.substring(7));
                remotes.remove(node);
                partitions.stream().filter(each -> each.leader == node).forEach(SimulatedPartition::releaseAll);
            }
        }
    }

    final List<SimulatedPartition> partitions = new ArrayList<>();
    long now = 1_000 * MILLI;
    int largestRequest;
    int invalidRequests;
    int wrongLeaders;
    int emptyFetches;
    int requests;
    int answers;

    /** Answers with more records than that are thrown away after they were lent. */
    int quotaRecords = Integer.MAX_VALUE;

    int emptiedAnswers;

    /** What a broker says to fetches of a partition that it does not lead. */
    Errors leadsNot = Errors.NOT_LEADER_OR_FOLLOWER;

    /** Whether the member has a record whose work has not ended. */
    interface Open {
        boolean isOpen(int partition, long offset);
    }

    Open isOpen = (partition, offset) -> false;

    /** Records that a RELEASE took from those who work on them: it was meant for an earlier lock. */
    int wronglyReleased;

    private Errors toldError = Errors.NONE;
    private long toldErrorUntil;

    /** Until then brokers say of the leaders what they were when it was set. */
    private long staleUntil;

    private final Map<Integer, Integer> staleLeaders = new HashMap<>();
    private final Random random;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>((a, b) -> a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.order, b.order));
    private final Map<String, Line> lines = new LinkedHashMap<>();
    private final Map<Integer, Remote> remotes = new HashMap<>();
    private long order;
    private boolean faults;

    /** What the coordinator knows of the member; 0 if nothing. */
    private int memberEpoch;

    private int previousMemberEpoch;
    private List<Integer> memberPartitions = List.of();
    private long dividedNanos;

    /** The connection to the coordinator breaks while it tells of so many further assignments. */
    int assignmentsCutOff;

    SimulatedGroup(Random random, int partitionCount, int records) {
        this.random = random;
        for (int i = 0; i < partitionCount; i++) {
            partitions.add(new SimulatedPartition(i, 1 + i % BROKERS, records));
        }
    }

    void at(long when, Runnable action) {
        events.add(new Event(when, order++, action));
    }

    /** Goes on to the next event, or for so long if there is none before. */
    void advance(long most) {
        long until = now + most;
        Event next = events.peek();
        now = next == null || next.at > until ? until : Math.max(now, next.at);
        partitions.forEach(each -> each.expire(now));
        while (!events.isEmpty() && events.peek().at <= now) {
            events.poll().action.run();
        }
    }

    void faults(boolean on) {
        faults = on;
        partitions.forEach(each -> each.deliveryLimit = on ? Short.MAX_VALUE : each.deliveryLimit);
    }

    /** Something goes wrong. */
    void fault() {
        int node = 1 + random.nextInt(BROKERS);
        switch (random.nextInt(4)) {
            case 0 -> remotes.remove(node);
            case 1 -> cut("broker " + node);
            case 2 -> cut("coordinator");
            default -> {
                SimulatedPartition moving = partitions.get(random.nextInt(partitions.size()));
                moving.releaseAll();
                moving.leader = node;
            }
        }
    }

    private void cut(String name) {
        Line line = lines.get(name);
        if (line != null && !line.dropped) {
            line.cut();
        }
    }

    /** For so long, acknowledgements change nothing and are answered so. */
    void refuseAcknowledgements(Errors error, long nanos) {
        toldError = error;
        toldErrorUntil = now + nanos;
    }

    /** From now on locks are made for so long. */
    void lockFor(int millis) {
        partitions.forEach(each -> each.lockMillis = millis);
    }

    /** A leader moves, and brokers do not know it for so long. */
    void moveUnseen(int partition, long nanos) {
        partitions.forEach(each -> staleLeaders.put(each.number, each.leader));
        staleUntil = now + nanos;
        SimulatedPartition moving = partitions.get(partition);
        moving.releaseAll();
        moving.leader = moving.leader % BROKERS + 1;
    }

    private int toldLeader(SimulatedPartition partition) {
        return now < staleUntil ? staleLeaders.getOrDefault(partition.number, partition.leader) : partition.leader;
    }

    boolean hasSessions() {
        return !remotes.isEmpty();
    }

    @Override
    public Channel open(String name, Supplier<List<InetSocketAddress>> addresses, Receiver receiver) {
        Line line = new Line(name, receiver);
        lines.put(name, line);
        return line;
    }

    private long delay(ApiMessage request) {
        long least = request instanceof ShareFetchRequestData fetch && lastFetchWasEmpty ? fetch.maxWaitMs() : 1;
        long slow = faults && random.nextInt(50) == 0 ? 1_200 : 0;
        return (least + slow + random.nextInt(4)) * MILLI;
    }

    private boolean lastFetchWasEmpty;

    private ApiMessage answer(Line line, ApiMessage request) {
        lastFetchWasEmpty = false;
        return switch (request) {
            case FindCoordinatorRequestData ignored ->
                new FindCoordinatorResponseData()
                        .setCoordinators(List.of(new FindCoordinatorResponseData.Coordinator()
                                .setKey("group")
                                .setNodeId(1)
                                .setHost("one")
                                .setPort(1)));
            case MetadataRequestData ignored -> metadata();
            case ShareGroupHeartbeatRequestData beat -> beat(beat);
            case ShareFetchRequestData fetch -> fetch(Integer.parseInt(line.name.substring(7)), fetch);
            case ShareAcknowledgeRequestData told -> acknowledge(Integer.parseInt(line.name.substring(7)), told);
            default -> throw new IllegalStateException("unexpected: " + request);
        };
    }

    private MetadataResponseData metadata() {
        MetadataResponseData answer = new MetadataResponseData();
        for (int node = 1; node <= BROKERS; node++) {
            answer.brokers()
                    .add(new MetadataResponseBroker()
                            .setNodeId(node)
                            .setHost("b" + node)
                            .setPort(node));
        }
        MetadataResponseTopic topic =
                new MetadataResponseTopic().setName("topic").setTopicId(SimulatedPartition.TOPIC);
        partitions.forEach(each -> topic.partitions()
                .add(new MetadataResponsePartition()
                        .setPartitionIndex(each.number)
                        .setLeaderId(toldLeader(each))));
        answer.topics().add(topic);
        return answer;
    }

    /**
     * As {@code GroupMetadataManager.shareGroupHeartbeat} of Kafka 4.4: a new member gets nothing before the group is
     * divided, the epoch before the last one is taken as well, and partitions are told of to those who join, who say
     * their topics, or whose partitions have changed in this very heartbeat.
     */
    private ShareGroupHeartbeatResponseData beat(ShareGroupHeartbeatRequestData beat) {
        ShareGroupHeartbeatResponseData answer = new ShareGroupHeartbeatResponseData().setHeartbeatIntervalMs(500);
        int epoch = beat.memberEpoch();
        if (epoch < 0) {
            memberEpoch = 0;
            return answer.setMemberEpoch(-1);
        }
        if (memberEpoch == 0 && epoch != 0) {
            return answer.setErrorCode(Errors.UNKNOWN_MEMBER_ID.code());
        }
        if (epoch != 0 && epoch != memberEpoch && epoch != previousMemberEpoch) {
            return answer.setErrorCode(Errors.FENCED_MEMBER_EPOCH.code());
        }
        if (memberEpoch == 0) {
            memberEpoch = 1;
            previousMemberEpoch = 0;
            memberPartitions = List.of();
            dividedNanos = now + DIVIDES_MILLIS * MILLI;
        }
        boolean changes = memberPartitions.isEmpty() && now >= dividedNanos;
        if (changes) {
            previousMemberEpoch = memberEpoch++;
            memberPartitions = partitions.stream().map(each -> each.number).toList();
            if (assignmentsCutOff-- > 0) {
                at(now + MILLI / 2, () -> cut("coordinator"));
            }
        }
        if (epoch == 0 || beat.subscribedTopicNames() != null || changes) {
            answer.setAssignment(new ShareGroupHeartbeatResponseData.Assignment()
                    .setTopicPartitions(List.of(new ShareGroupHeartbeatResponseData.TopicPartitions()
                            .setTopicId(SimulatedPartition.TOPIC)
                            .setPartitions(memberPartitions))));
        }
        answer.setMemberEpoch(memberEpoch);
        if (faults && random.nextInt(10) == 0) {
            memberEpoch = 0;
        }
        return answer;
    }

    private Errors session(int node, int epoch, boolean mayOpen) {
        Remote remote = remotes.get(node);
        if (epoch == 0) {
            assertThat(mayOpen)
                    .as("a session is opened by a fetch without acknowledgements")
                    .isTrue();
            remotes.put(node, new Remote());
            return Errors.NONE;
        }
        if (remote == null) {
            return Errors.SHARE_SESSION_NOT_FOUND;
        }
        if (epoch == -1) {
            return Errors.NONE;
        }
        return epoch == ++remote.epoch ? Errors.NONE : Errors.INVALID_SHARE_SESSION_EPOCH;
    }

    private static boolean isBare(ShareFetchRequestData fetch) {
        return fetch.topics().stream()
                .allMatch(topic -> topic.partitions().stream()
                        .allMatch(each -> each.acknowledgementBatches().isEmpty()));
    }

    private static List<AcknowledgementBatch> batches(FetchPartition of) {
        return of.acknowledgementBatches().stream()
                .map(batch -> new AcknowledgementBatch()
                        .setFirstOffset(batch.firstOffset())
                        .setLastOffset(batch.lastOffset())
                        .setAcknowledgeTypes(batch.acknowledgeTypes()))
                .toList();
    }

    private ShareFetchResponseData fetch(int node, ShareFetchRequestData fetch) {
        largestRequest = Math.max(largestRequest, fetch.maxRecords());
        ShareFetchResponseData answer =
                new ShareFetchResponseData().setAcquisitionLockTimeoutMs(partitions.getFirst().lockMillis);
        Errors error = session(node, fetch.shareSessionEpoch(), isBare(fetch));
        if (error != Errors.NONE) {
            return answer.setErrorCode(error.code());
        }
        Remote remote = Objects.requireNonNull(remotes.get(node));
        Map<Integer, PartitionData> data = new LinkedHashMap<>();
        fetch.topics()
                .forEach(topic -> topic.partitions().forEach(each -> {
                    if (!remote.partitions.contains(each.partitionIndex())) {
                        remote.partitions.add(each.partitionIndex());
                    }
                    if (!each.acknowledgementBatches().isEmpty()) {
                        List<AcknowledgementBatch> batches = batches(each);
                        data.put(
                                each.partitionIndex(),
                                new PartitionData()
                                        .setPartitionIndex(each.partitionIndex())
                                        .setAcknowledgeErrorCode(tell(node, each.partitionIndex(), batches)
                                                .code()));
                    }
                }));
        fetch.forgottenTopicsData().forEach(topic -> remote.partitions.removeAll(topic.partitions()));
        List<PartitionData> told =
                data.values().stream().map(PartitionData::duplicate).toList();
        int left = fetch.maxRecords();
        for (Integer number : remote.partitions) {
            SimulatedPartition partition = partitions.get(number);
            PartitionData acknowledged = data.get(number);
            short toldError = acknowledged == null ? 0 : acknowledged.acknowledgeErrorCode();
            wrongLeaders += partition.leader == node ? 0 : 1;
            PartitionData lent = partition.leader == node
                    ? partition.lend(left, now)
                    : new PartitionData().setPartitionIndex(number).setErrorCode(leadsNot.code());
            for (var range : lent.acquiredRecords()) {
                left -= (int) (range.lastOffset() - range.firstOffset() + 1);
            }
            data.put(number, lent.setAcknowledgeErrorCode(toldError));
        }
        lastFetchWasEmpty = left == fetch.maxRecords();
        emptyFetches += lastFetchWasEmpty ? 1 : 0;
        boolean overQuota = fetch.maxRecords() - left > quotaRecords;
        if (overQuota) {
            // What became of the acknowledgements is put into the answer after the quota has emptied it.
            answer = new ShareFetchResponseData().setThrottleTimeMs(100);
            emptiedAnswers++;
        }
        ShareFetchableTopicResponse topic = new ShareFetchableTopicResponse().setTopicId(SimulatedPartition.TOPIC);
        (overQuota ? told : data.values()).forEach(each -> topic.partitions().add(each));
        if (!topic.partitions().isEmpty()) {
            answer.responses().add(topic);
        }
        return answer;
    }

    private Errors tell(int node, int number, List<AcknowledgementBatch> batches) {
        if (now < toldErrorUntil) {
            return toldError;
        }
        SimulatedPartition partition = partitions.get(number);
        Errors error = partition.leader == node ? partition.acknowledge(batches, now) : Errors.NOT_LEADER_OR_FOLLOWER;
        if (error == Errors.NONE) {
            wronglyReleased += batches.stream()
                    .filter(batch -> batch.acknowledgeTypes().contains(Ack.RELEASE))
                    .mapToInt(batch -> (int) LongStream.rangeClosed(batch.firstOffset(), batch.lastOffset())
                            .filter(offset -> isOpen.isOpen(number, offset))
                            .count())
                    .sum();
        }
        invalidRequests += error == Errors.INVALID_REQUEST ? 1 : 0;
        return error;
    }

    private ShareAcknowledgeResponseData acknowledge(int node, ShareAcknowledgeRequestData request) {
        ShareAcknowledgeResponseData answer =
                new ShareAcknowledgeResponseData().setAcquisitionLockTimeoutMs(partitions.getFirst().lockMillis);
        Errors error = session(node, request.shareSessionEpoch(), false);
        if (error != Errors.NONE) {
            return answer.setErrorCode(error.code());
        }
        var topicAnswer =
                new ShareAcknowledgeResponseData.ShareAcknowledgeTopicResponse().setTopicId(SimulatedPartition.TOPIC);
        request.topics()
                .forEach(topic -> topic.partitions().forEach(each -> {
                    boolean renews = each.acknowledgementBatches().stream()
                            .anyMatch(batch -> batch.acknowledgeTypes().contains(Ack.RENEW));
                    assertThat(request.isRenewAck() || !renews).isTrue();
                    topicAnswer
                            .partitions()
                            .add(new ShareAcknowledgeResponseData.PartitionData()
                                    .setPartitionIndex(each.partitionIndex())
                                    .setErrorCode(tell(node, each.partitionIndex(), each.acknowledgementBatches())
                                            .code()));
                }));
        answer.responses().add(topicAnswer);
        if (request.shareSessionEpoch() == -1) {
            remotes.remove(node);
            partitions.stream().filter(each -> each.leader == node).forEach(SimulatedPartition::releaseAll);
        }
        return answer;
    }
}
