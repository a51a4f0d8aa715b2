package dev.weir.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
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
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/**
 * A simulated share group: heartbeats, share sessions, acquisition locks and acknowledgements, with the errors of a
 * real broker. Closing a connection ends its session and releases the session's locks. Confined to the simulation's
 * thread.
 */
public final class ShareGroup {

    /** Receives each acknowledgement that a broker accepts. */
    public interface Observer {
        void acknowledged(String member, int partition, long offset, byte type);
    }

    /** A broker's state of a session. */
    private static final class Remote {
        private final Network.Connection connection;
        private int epoch;
        private final List<TopicIdPartition> partitions = new ArrayList<>();

        Remote(Network.Connection connection) {
            this.connection = connection;
        }
    }

    private record Seat(String member, int node) {}

    private static final int ASSIGNMENT_LOST_MICROS = 200;

    private final Schedule schedule;
    private final Topics topics;
    private final Faults faults;
    private final Random random;
    private final ShareMembers members;
    private final Map<Topics.Partition, SharePartition> partitions = new HashMap<>();
    private final Map<Seat, Remote> remotes = new LinkedHashMap<>();
    private final Map<Integer, Integer> beats = new HashMap<>();
    private Observer observer = (member, partition, offset, type) -> {};
    private int lockMillis = 2_000;
    private int deliveryLimit = 10;
    private int window = 200;
    private boolean renews = true;
    private boolean forgetful;
    private int quotaRecords = Integer.MAX_VALUE;
    private Errors leadsNot = Errors.NOT_LEADER_OR_FOLLOWER;
    private boolean hints;
    private boolean hintsAreNews;
    private int assignmentsCutOff;
    private Errors toldError = Errors.NONE;
    private long toldErrorUntil;
    private int largestRequest;
    private int invalidRequests;
    private int wrongLeaders;
    private int emptyFetches;
    private int emptiedAnswers;
    private int strangers;
    private boolean lastFetchWasEmpty;

    ShareGroup(Schedule schedule, Topics topics, Faults faults, Random random) {
        this.schedule = schedule;
        this.topics = topics;
        this.faults = faults;
        this.random = random;
        this.members = new ShareMembers(topics);
    }

    // ---- Settings --------------------------------------------------------------------------------------------------

    public void observe(Observer newObserver) {
        observer = newObserver;
    }

    Observer observer() {
        return observer;
    }

    /** Sets the duration of locks that are acquired or renewed from now on. */
    public void lockMillis(int millis) {
        lockMillis = millis;
    }

    long lockedUntil() {
        return faults.has(Planted.LOCKS_IGNORED) ? now() : now() + lockMillis * Network.MILLI;
    }

    /** Sets the number of deliveries after which a record is archived. */
    public void deliveryLimit(int limit) {
        deliveryLimit = limit;
    }

    int deliveryLimit() {
        return deliveryLimit;
    }

    /** Sets the size of the window of offsets that may be acquired, which starts at the first unfinished record. */
    public void window(int offsets) {
        window = offsets;
    }

    int window() {
        return window;
    }

    /** Sets the group's {@code share.renew.acknowledge.enable}. */
    public void renews(boolean on) {
        renews = on;
    }

    boolean renews() {
        return renews;
    }

    /** Sets whether the coordinator occasionally forgets a member. */
    public void forgetful(boolean on) {
        forgetful = on;
    }

    /**
     * Sets the maximum number of records in a response. A larger response is emptied, and its records stay acquired.
     */
    public void quotaRecords(int most) {
        quotaRecords = most;
    }

    /** Sets the error that a broker returns for a fetch from a partition that it does not lead. */
    public void leadsNot(Errors error) {
        leadsNot = error;
    }

    /**
     * Makes brokers that do not lead a partition name its leader.
     *
     * @param areNews whether brokers with outdated metadata name the current leader too
     */
    public void hints(boolean areNews) {
        hints = true;
        hintsAreNews = areNews;
    }

    /**
     * Breaks the member's connection shortly after each of the next {@code count} assignments. The member may miss
     * these assignments.
     */
    public void cutOffAssignments(int count) {
        assignmentsCutOff = count;
    }

    /** Makes brokers ignore all acknowledgements for {@code nanos} and return this error. */
    public void refuseAcknowledgements(Errors error, long nanos) {
        toldError = error;
        toldErrorUntil = now() + nanos;
    }

    /** Forgets a random session. */
    public void forgetSession() {
        if (!remotes.isEmpty()) {
            remotes.remove(List.copyOf(remotes.keySet()).get(random.nextInt(remotes.size())));
        }
    }

    // ---- Counters --------------------------------------------------------------------------------------------------

    public SharePartition of(Topics.Partition partition) {
        return partitions.computeIfAbsent(partition, none -> new SharePartition(partition, this));
    }

    public boolean hasMembers() {
        return !members.isEmpty();
    }

    public boolean hasSessions() {
        return !remotes.isEmpty();
    }

    /** Returns the highest number of records requested by a single fetch. */
    public int largestRequest() {
        return largestRequest;
    }

    /** Returns the number of acknowledgements with invalid offset ranges, which a broker always rejects. */
    public int invalidRequests() {
        return invalidRequests;
    }

    /** Returns the number of fetches sent to a broker that is not the leader. */
    public int wrongLeaders() {
        return wrongLeaders;
    }

    public int emptyFetches() {
        return emptyFetches;
    }

    /** Returns the number of responses that were emptied because of the quota. */
    public int emptiedAnswers() {
        return emptiedAnswers;
    }

    /** Returns how often a member acknowledged records that another member had acquired. */
    public int strangers() {
        return strangers;
    }

    /** Returns the number of heartbeats that this broker accepted as the coordinator. */
    public int beats(int node) {
        return beats.getOrDefault(node, 0);
    }

    long now() {
        return schedule.now();
    }

    boolean happens(Planted fault) {
        return faults.happens(fault);
    }

    // ---- Requests --------------------------------------------------------------------------------------------------

    /** Ends the session of a closed connection and releases its locks. */
    void disconnected(Network.Connection from) {
        List.copyOf(remotes.entrySet()).stream()
                .filter(each -> each.getValue().connection == from)
                .forEach(each -> end(each.getKey()));
    }

    private void end(Seat seat) {
        remotes.remove(seat);
        partitions.values().stream()
                .filter(each -> each.partition().leader() == seat.node)
                .forEach(each -> each.releaseAll(seat.member));
    }

    @Nullable
    ApiMessage answer(Network.Connection from, ApiMessage request) {
        lastFetchWasEmpty = false;
        if (from.isGone()) {
            return null;
        }
        return switch (request) {
            case ShareGroupHeartbeatRequestData beat -> beat(from, beat);
            case ShareFetchRequestData fetch -> fetch(from, fetch);
            case ShareAcknowledgeRequestData told -> acknowledge(from, told);
            default -> throw new IllegalStateException("unexpected: " + request);
        };
    }

    boolean lastFetchWasEmpty() {
        return lastFetchWasEmpty;
    }

    private ShareGroupHeartbeatResponseData beat(Network.Connection from, ShareGroupHeartbeatRequestData beat) {
        int node = from.node();
        if (node != topics.coordinator()) {
            return new ShareGroupHeartbeatResponseData().setErrorCode(Errors.NOT_COORDINATOR.code());
        }
        beats.merge(node, 1, Integer::sum);
        ShareGroupHeartbeatResponseData answer = members.beat(beat, now(), () -> {
            if (assignmentsCutOff > 0) {
                assignmentsCutOff--;
                schedule.after(ASSIGNMENT_LOST_MICROS * 1_000L, from::cut);
            }
        });
        if (forgetful && random.nextInt(10) == 0) {
            members.forget(beat.memberId());
        }
        return answer;
    }

    private Errors session(Network.Connection from, String member, int epoch, boolean mayOpen) {
        Seat seat = new Seat(member, from.node());
        Remote remote = remotes.get(seat);
        if (epoch == 0) {
            if (!mayOpen) {
                throw new AssertionError("a session is opened by a fetch without acknowledgements");
            }
            remotes.put(seat, new Remote(from));
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

    private static TopicIdPartition id(Uuid topic, int partition) {
        return new TopicIdPartition(topic, partition, "");
    }

    private ShareFetchResponseData fetch(Network.Connection from, ShareFetchRequestData fetch) {
        largestRequest = Math.max(largestRequest, fetch.maxRecords());
        ShareFetchResponseData answer = new ShareFetchResponseData().setAcquisitionLockTimeoutMs(lockMillis);
        Errors error = session(from, fetch.memberId(), fetch.shareSessionEpoch(), isBare(fetch));
        if (error != Errors.NONE) {
            return answer.setErrorCode(error.code());
        }
        Remote remote = Objects.requireNonNull(remotes.get(new Seat(fetch.memberId(), from.node())));
        Map<TopicIdPartition, PartitionData> told = acknowledge(from, fetch, remote);
        fetch.forgottenTopicsData()
                .forEach(forgotten -> forgotten
                        .partitions()
                        .forEach(number -> remote.partitions.remove(id(forgotten.topicId(), number))));
        Map<TopicIdPartition, PartitionData> data = new LinkedHashMap<>();
        told.forEach((id, each) -> data.put(id, each.duplicate()));
        int left = fetch.maxRecords();
        List<TopicIdPartition> rotated = new ArrayList<>(remote.partitions);
        // Kafka 4.4 rotates a session's partitions by the epoch (PartitionRotateStrategy.ROUND_ROBIN), and also moves
        // those with records to the end (ShareSessionContext). Some partitions therefore wait for several rotations.
        Collections.rotate(rotated, -fetch.shareSessionEpoch());
        for (TopicIdPartition id : rotated) {
            PartitionData acknowledged = told.get(id);
            PartitionData acquired = acquire(fetch.memberId(), from.node(), id, left);
            for (var range : acquired.acquiredRecords()) {
                left -= (int) (range.lastOffset() - range.firstOffset() + 1);
            }
            if (!acquired.acquiredRecords().isEmpty()) {
                remote.partitions.remove(id);
                remote.partitions.add(id);
            }
            data.put(
                    id,
                    acquired.setAcknowledgeErrorCode(acknowledged == null ? 0 : acknowledged.acknowledgeErrorCode()));
        }
        lastFetchWasEmpty = left == fetch.maxRecords();
        emptyFetches += lastFetchWasEmpty ? 1 : 0;
        boolean overQuota = fetch.maxRecords() - left > quotaRecords;
        if (overQuota) {
            // A real broker empties the response before it adds the acknowledgement results.
            answer = new ShareFetchResponseData().setThrottleTimeMs(100);
            emptiedAnswers++;
        }
        addTo(answer, overQuota ? told : data);
        return answer;
    }

    /** Processes the acknowledgements in a fetch, and adds its partitions to the session. */
    private Map<TopicIdPartition, PartitionData> acknowledge(
            Network.Connection from, ShareFetchRequestData fetch, Remote remote) {
        Map<TopicIdPartition, PartitionData> told = new LinkedHashMap<>();
        fetch.topics()
                .forEach(listed -> listed.partitions().forEach(each -> {
                    TopicIdPartition id = id(listed.topicId(), each.partitionIndex());
                    if (!remote.partitions.contains(id)) {
                        remote.partitions.add(id);
                    }
                    if (!each.acknowledgementBatches().isEmpty()) {
                        told.put(
                                id,
                                new PartitionData()
                                        .setPartitionIndex(each.partitionIndex())
                                        .setRecords(MemoryRecords.EMPTY)
                                        .setAcknowledgeErrorCode(tell(fetch.memberId(), from.node(), id, batches(each))
                                                .code()));
                    }
                }));
        return told;
    }

    private static void addTo(ShareFetchResponseData answer, Map<TopicIdPartition, PartitionData> data) {
        data.forEach((id, partition) -> {
            ShareFetchableTopicResponse topic = answer.responses().find(id.topicId());
            if (topic == null) {
                topic = new ShareFetchableTopicResponse().setTopicId(id.topicId());
                answer.responses().add(topic);
            }
            topic.partitions().add(partition);
        });
    }

    private PartitionData acquire(String member, int node, TopicIdPartition id, int most) {
        PartitionData refusal =
                new PartitionData().setPartitionIndex(id.partition()).setRecords(MemoryRecords.EMPTY);
        Topics.Partition partition = topics.find(id.topicId(), id.partition());
        if (partition == null) {
            return refusal.setErrorCode(Errors.UNKNOWN_TOPIC_ID.code());
        }
        if (partition.leader() != node) {
            wrongLeaders++;
            return refusal.setErrorCode(leadsNot.code()).setCurrentLeader(hint(partition, node));
        }
        return of(partition).acquire(member, most);
    }

    /** Returns the leader named by a broker that does not lead the partition. */
    private ShareFetchResponseData.LeaderIdAndEpoch hint(Topics.@Nullable Partition partition, int toldBy) {
        Topics.Place place =
                partition == null ? null : hintsAreNews ? partition.place() : topics.placeOf(partition, toldBy);
        boolean says = hints && place != null && place.leader() != toldBy;
        return new ShareFetchResponseData.LeaderIdAndEpoch()
                .setLeaderId(says && place != null ? place.leader() : Log.UNKNOWN)
                .setLeaderEpoch(says && place != null ? place.epoch() : Log.UNKNOWN);
    }

    private Errors tell(String member, int node, TopicIdPartition id, List<AcknowledgementBatch> batches) {
        Topics.Partition partition = topics.find(id.topicId(), id.partition());
        if (partition == null) {
            return Errors.UNKNOWN_TOPIC_ID;
        }
        if (now() < toldErrorUntil) {
            return toldError;
        }
        if (partition.leader() != node) {
            return Errors.NOT_LEADER_OR_FOLLOWER;
        }
        SharePartition shared = of(partition);
        strangers += shared.isAnothers(member, batches) ? 1 : 0;
        Errors error = shared.acknowledge(member, batches);
        invalidRequests += error == Errors.INVALID_REQUEST ? 1 : 0;
        return error;
    }

    private ShareAcknowledgeResponseData acknowledge(Network.Connection from, ShareAcknowledgeRequestData request) {
        String member = request.memberId();
        ShareAcknowledgeResponseData answer =
                new ShareAcknowledgeResponseData().setAcquisitionLockTimeoutMs(lockMillis);
        Errors error = session(from, member, request.shareSessionEpoch(), false);
        if (error != Errors.NONE) {
            return answer.setErrorCode(error.code());
        }
        request.topics().forEach(of -> {
            var told = new ShareAcknowledgeResponseData.ShareAcknowledgeTopicResponse().setTopicId(of.topicId());
            of.partitions().forEach(each -> {
                boolean renewsSome = each.acknowledgementBatches().stream()
                        .anyMatch(batch -> batch.acknowledgeTypes().contains(SharePartition.RENEW));
                if (renewsSome && !request.isRenewAck()) {
                    throw new AssertionError("a renewal in a request that says it has none");
                }
                TopicIdPartition id = id(of.topicId(), each.partitionIndex());
                var hint = hint(topics.find(of.topicId(), each.partitionIndex()), from.node());
                told.partitions()
                        .add(new ShareAcknowledgeResponseData.PartitionData()
                                .setPartitionIndex(each.partitionIndex())
                                .setErrorCode(tell(member, from.node(), id, each.acknowledgementBatches())
                                        .code())
                                .setCurrentLeader(new ShareAcknowledgeResponseData.LeaderIdAndEpoch()
                                        .setLeaderId(hint.leaderId())
                                        .setLeaderEpoch(hint.leaderEpoch())));
            });
            answer.responses().add(told);
        });
        if (request.shareSessionEpoch() == -1) {
            end(new Seat(member, from.node()));
        }
        return answer;
    }
}
