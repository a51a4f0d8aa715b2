package dev.weir.kafka.internal.in.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the request's bytes with the bytes of Kafka's own class. */
class CommitRequestTest {

    private static final int REQUESTS = 2_000;
    private static final List<String> TOPICS = List.of("t", "orders.eu_2-x", "a".repeat(249));
    private static final List<String> TEXTS = List.of(
            "", "weir1::", "x".repeat(126), "x".repeat(127), "y".repeat(20_000), "ü", "€ \ud83d\ude00", "\ud83d");

    private final CommitRequest request = new CommitRequest();
    private final ObjectSerializationCache cache = new ObjectSerializationCache();
    private final Random random = new Random(7);

    @ParameterizedTest
    @ValueSource(shorts = {DirectCommit.COMMIT_VERSION, DirectCommit.MEMBER_VERSION})
    void bytes_equalKafkasClass(short version) {
        ConsumerGroupMetadata member = drawnMember();
        Map<TopicPartition, OffsetAndMetadata> offsets = drawnOffsets();
        for (int i = 0; i < REQUESTS; i++) {
            member = random.nextBoolean() ? member : drawnMember();
            if (random.nextBoolean()) {
                offsets.replaceAll((id, before) -> drawnOffset());
            } else {
                offsets = drawnOffsets();
            }
            ByteBuffer bytes = bytesOf(request.of(member, offsets), version);
            OffsetCommitRequestData read =
                    new OffsetCommitRequestData(new ByteBufferAccessor(bytes.duplicate()), version);
            assertThat(MessageUtil.toByteBufferAccessor(read, version).buffer()).isEqualTo(bytes);
            assertIsOf(read, member, offsets);
        }
    }

    private ByteBuffer bytesOf(CommitRequest of, short version) {
        MessageSizeAccumulator size = new MessageSizeAccumulator();
        of.addSize(size, cache, version);
        ByteBuffer bytes = ByteBuffer.allocate(size.totalSize());
        of.write(new ByteBufferAccessor(bytes), cache, version);
        assertThat(bytes.hasRemaining()).isFalse();
        return bytes.flip();
    }

    private static void assertIsOf(
            OffsetCommitRequestData read,
            ConsumerGroupMetadata member,
            Map<TopicPartition, OffsetAndMetadata> offsets) {
        assertThat(read.apiKey()).isEqualTo(new CommitRequest().apiKey());
        assertThat(read.groupId()).isEqualTo(member.groupId());
        assertThat(read.generationIdOrMemberEpoch()).isEqualTo(member.generationId());
        assertThat(read.memberId()).isEqualTo(member.memberId());
        assertThat(read.groupInstanceId()).isEqualTo(member.groupInstanceId().orElse(null));
        assertThat(read.topics()).doesNotHaveDuplicates();
        Map<TopicPartition, OffsetAndMetadata> told = new HashMap<>();
        read.topics()
                .forEach(topic -> topic.partitions().forEach(partition -> {
                    Optional<Integer> epoch =
                            Optional.of(partition.committedLeaderEpoch()).filter(each -> each >= 0);
                    told.put(
                            new TopicPartition(topic.name(), partition.partitionIndex()),
                            new OffsetAndMetadata(partition.committedOffset(), epoch, partition.committedMetadata()));
                }));
        Map<TopicPartition, OffsetAndMetadata> expected = new HashMap<>(offsets);
        // Both classes encode an unpaired surrogate as a question mark.
        expected.replaceAll((id, offset) -> offset.metadata().equals("\ud83d")
                ? new OffsetAndMetadata(offset.offset(), offset.leaderEpoch(), "?")
                : offset);
        assertThat(told).isEqualTo(expected);
    }

    @SuppressWarnings("removal") // the only way to create this object without a client in a group
    private ConsumerGroupMetadata drawnMember() {
        return new ConsumerGroupMetadata(
                drawn(List.of("g", "grüppe", "g".repeat(200))),
                random.nextInt(Integer.MAX_VALUE) >>> random.nextInt(31),
                drawn(List.of("m", "member-3f")),
                Optional.of(drawn(List.of("", "pod-1"))).filter(each -> !each.isEmpty()));
    }

    private Map<TopicPartition, OffsetAndMetadata> drawnOffsets() {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (int left = random.nextInt(random.nextInt(20) == 0 ? 300 : 8); left > 0; left--) {
            offsets.put(new TopicPartition(drawn(TOPICS), random.nextInt(1_000)), drawnOffset());
        }
        return offsets;
    }

    private OffsetAndMetadata drawnOffset() {
        return new OffsetAndMetadata(
                random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63),
                Optional.of(random.nextInt(4) - 1).filter(each -> each >= 0),
                random.nextInt(50) == 0 ? drawn(TEXTS) : TEXTS.get(random.nextInt(3)));
    }

    private String drawn(List<String> all) {
        return all.get(random.nextInt(all.size()));
    }

    @ParameterizedTest
    @ValueSource(ints = {32_767, 32_768})
    void metadata_beyondKafkasLimit_isRefused(int chars) {
        Map<TopicPartition, OffsetAndMetadata> offsets =
                Map.of(new TopicPartition("t", 0), new OffsetAndMetadata(1, "x".repeat(chars)));
        request.of(drawnMember(), offsets);
        if (chars == Short.MAX_VALUE) {
            assertThat(request.size(cache, DirectCommit.MEMBER_VERSION)).isGreaterThan(chars);
            return;
        }
        assertThatIllegalStateException()
                .isThrownBy(() -> request.size(cache, DirectCommit.MEMBER_VERSION))
                .withMessage("the metadata of a commit has 32768 bytes, more than Kafka's limit of 32767;"
                        + " lower commitMetadataChars");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100})
    void requests_forTheSameMemberAndPartitions_allocateOnlyLeaderEpochs(int partitions) {
        ConsumerGroupMetadata member = drawnMember();
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (int i = 0; i < partitions; i++) {
            offsets.put(new TopicPartition("t", i), new OffsetAndMetadata(i, Optional.of(1), "weir1::"));
        }
        ByteBufferAccessor out = new ByteBufferAccessor(ByteBuffer.allocate(100_000));
        assertThat(sent(member, offsets, out)).isPositive(); // loads the classes
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        assertThat(sent(member, offsets, out)).isPositive();
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).isLessThanOrEqualTo(16L * partitions * REQUESTS + 4_096);
    }

    private int sent(
            ConsumerGroupMetadata member, Map<TopicPartition, OffsetAndMetadata> offsets, ByteBufferAccessor out) {
        int bytes = 0;
        for (int i = 0; i < REQUESTS; i++) {
            out.buffer().clear();
            bytes += request.of(member, offsets).size(cache, DirectCommit.MEMBER_VERSION);
            request.write(out, cache, DirectCommit.MEMBER_VERSION);
        }
        return bytes;
    }
}
