package dev.weir.kafka.internal.in.commit;

import dev.weir.lean.spi.MessageNetwork;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.Readable;
import org.apache.kafka.common.protocol.Writable;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * A request that commits offsets for a group member. Encodes itself, because Kafka's class copies every string for
 * every request. Reusable. Confined to the owner thread.
 *
 * <pre>
 *   group, generation, member id, instance id (or 0)
 *   number of topics + 1
 *     topic, number of partitions + 1
 *       partition (4), offset (8), leader epoch (4), metadata, tags = 0
 *     tags = 0
 *   tags = 0
 * </pre>
 *
 * <p>This is the layout of versions 8 and 9. A string is its length + 1 as a varint, followed by the UTF-8 bytes.
 */
final class CommitRequest implements MessageNetwork.SelfEncoded {

    private static final byte[] NO_BYTES = {};
    private static final int NO_EPOCH = -1;

    /** Size of a partition without its metadata. */
    private static final int PARTITION_BYTES = Integer.BYTES + Long.BYTES + Integer.BYTES + 1;

    private static final int MAX_METADATA_BYTES = Short.MAX_VALUE;

    private @Nullable ConsumerGroupMetadata member;
    private byte[] group = NO_BYTES;
    private byte[] memberId = NO_BYTES;
    private byte @Nullable [] instanceId;
    private int generation;

    private List<Topic> topics = List.of();
    private Map<TopicPartition, OffsetAndMetadata> offsets = Map.of();

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Topic(byte[] name, List<TopicPartition> ids) {}

    /** Fills this request and returns it. Encode it before the next call. */
    CommitRequest of(ConsumerGroupMetadata member, Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (!member.equals(this.member)) {
            this.member = member;
            group = utf8(member.groupId());
            generation = member.generationId();
            memberId = utf8(member.memberId());
            instanceId = member.groupInstanceId().map(CommitRequest::utf8).orElse(null);
        }
        if (!hasPartitions(offsets)) {
            topics = topics(offsets.keySet());
        }
        this.offsets = offsets;
        return this;
    }

    private boolean hasPartitions(Map<TopicPartition, OffsetAndMetadata> of) {
        int count = 0;
        for (int i = 0; i < topics.size(); i++) {
            List<TopicPartition> ids = topics.get(i).ids();
            for (int j = 0; j < ids.size(); j++) {
                if (!of.containsKey(ids.get(j))) {
                    return false;
                }
            }
            count += ids.size();
        }
        return count == of.size();
    }

    private static List<Topic> topics(Set<TopicPartition> ids) {
        Map<String, Topic> byName = new HashMap<>();
        for (TopicPartition id : ids) {
            byName.computeIfAbsent(id.topic(), name -> new Topic(utf8(name), new ArrayList<>()))
                    .ids()
                    .add(id);
        }
        return List.copyOf(byName.values());
    }

    // ---- Size ------------------------------------------------------------------------------------------------------

    @Override
    public int size(ObjectSerializationCache unused, short version) {
        int size = sizeOf(group) + Integer.BYTES + sizeOf(memberId) + sizeOf(instanceId);
        size += varintBytes(topics.size() + 1);
        for (int i = 0; i < topics.size(); i++) {
            Topic topic = topics.get(i);
            List<TopicPartition> ids = topic.ids();
            size += sizeOf(topic.name()) + varintBytes(ids.size() + 1) + 1;
            for (int j = 0; j < ids.size(); j++) {
                size += PARTITION_BYTES
                        + sizeOf(metadataBytes(offsetOf(ids.get(j)).metadata()));
            }
        }
        return size + 1;
    }

    @Override
    public void addSize(MessageSizeAccumulator size, ObjectSerializationCache cache, short version) {
        size.addBytes(size(cache, version));
    }

    private OffsetAndMetadata offsetOf(TopicPartition id) {
        return Objects.requireNonNull(offsets.get(id));
    }

    private static int sizeOf(byte @Nullable [] string) {
        return string == null ? 1 : sizeOf(string.length);
    }

    private static int sizeOf(int utf8Length) {
        return varintBytes(utf8Length + 1) + utf8Length;
    }

    private static int varintBytes(int value) {
        int bytes = 1;
        for (int left = value >>> 7; left != 0; left >>>= 7) {
            bytes++;
        }
        return bytes;
    }

    private static boolean isAscii(String text) {
        return Utils.utf8Length(text) == text.length();
    }

    private static int metadataBytes(String text) {
        int bytes = isAscii(text) ? text.length() : utf8(text).length;
        if (bytes > MAX_METADATA_BYTES) {
            throw new IllegalStateException("the metadata of a commit has " + bytes
                    + " bytes, more than Kafka's limit of " + MAX_METADATA_BYTES + "; lower commitMetadataChars");
        }
        return bytes;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    // ---- Bytes -----------------------------------------------------------------------------------------------------

    @Override
    public void write(Writable out, ObjectSerializationCache unused, short version) {
        write(out, group);
        out.writeInt(generation);
        write(out, memberId);
        write(out, instanceId);
        out.writeUnsignedVarint(topics.size() + 1);
        for (int i = 0; i < topics.size(); i++) {
            Topic topic = topics.get(i);
            List<TopicPartition> ids = topic.ids();
            write(out, topic.name());
            out.writeUnsignedVarint(ids.size() + 1);
            for (int j = 0; j < ids.size(); j++) {
                OffsetAndMetadata offset = offsetOf(ids.get(j));
                out.writeInt(ids.get(j).partition());
                out.writeLong(offset.offset());
                out.writeInt(offset.leaderEpoch().orElse(NO_EPOCH));
                write(out, offset.metadata());
                out.writeUnsignedVarint(0);
            }
            out.writeUnsignedVarint(0);
        }
        out.writeUnsignedVarint(0);
    }

    private static void write(Writable out, String text) {
        if (!isAscii(text)) {
            write(out, utf8(text));
            return;
        }
        out.writeUnsignedVarint(text.length() + 1);
        for (int i = 0; i < text.length(); i++) {
            out.writeByte((byte) text.charAt(i));
        }
    }

    private static void write(Writable out, byte @Nullable [] string) {
        if (string == null) {
            out.writeUnsignedVarint(0);
            return;
        }
        out.writeUnsignedVarint(string.length + 1);
        out.writeByteArray(string);
    }

    // ---- Kafka's interface -----------------------------------------------------------------------------------------

    @Override
    public short apiKey() {
        return ApiKeys.OFFSET_COMMIT.id;
    }

    @Override
    public short lowestSupportedVersion() {
        return DirectCommit.COMMIT_VERSION;
    }

    @Override
    public short highestSupportedVersion() {
        return DirectCommit.MEMBER_VERSION;
    }

    @Override
    public List<RawTaggedField> unknownTaggedFields() {
        return List.of();
    }

    @Override
    public void read(Readable in, short version) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ApiMessage duplicate() {
        throw new UnsupportedOperationException();
    }
}
