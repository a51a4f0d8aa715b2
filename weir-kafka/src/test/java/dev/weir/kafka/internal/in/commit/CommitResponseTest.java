package dev.weir.kafka.internal.in.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommitResponseTest {

    private static final int RESPONSES = 2_000;
    private static final List<Errors> ERRORS = List.of(Errors.values());

    private final CommitResponse response = new CommitResponse();
    private final Random random = new Random(11);

    @ParameterizedTest
    @ValueSource(shorts = {DirectCommit.COMMIT_VERSION, DirectCommit.MEMBER_VERSION})
    void error_isTheFirstOfTheResponse(short version) {
        for (int i = 0; i < RESPONSES; i++) {
            OffsetCommitResponseData written = drawn();
            ByteBuffer bytes =
                    MessageUtil.toByteBufferAccessor(written, version).buffer();
            response.read(new ByteBufferAccessor(bytes), version);
            assertThat(response.error()).isEqualTo(firstError(written));
            assertThat(bytes.hasRemaining()).isFalse();
        }
    }

    private OffsetCommitResponseData drawn() {
        OffsetCommitResponseData drawn = new OffsetCommitResponseData().setThrottleTimeMs(random.nextInt(1_000));
        int errorsInAHundred = random.nextInt(3);
        for (int topics = random.nextInt(4); topics > 0; topics--) {
            OffsetCommitResponseTopic topic = new OffsetCommitResponseTopic().setName("t".repeat(random.nextInt(250)));
            for (int partitions = random.nextInt(200); partitions > 0; partitions--) {
                OffsetCommitResponsePartition partition =
                        new OffsetCommitResponsePartition().setPartitionIndex(random.nextInt());
                if (random.nextInt(100) < errorsInAHundred) {
                    partition.setErrorCode(
                            ERRORS.get(random.nextInt(ERRORS.size())).code());
                }
                if (random.nextInt(100) == 0) {
                    partition.unknownTaggedFields().add(new RawTaggedField(3, new byte[random.nextInt(300)]));
                }
                topic.partitions().add(partition);
            }
            drawn.topics().add(topic);
        }
        return drawn;
    }

    private static Errors firstError(OffsetCommitResponseData of) {
        return of.topics().stream()
                .flatMap(topic -> topic.partitions().stream())
                .map(partition -> Errors.forCode(partition.errorCode()))
                .filter(error -> error != Errors.NONE)
                .findFirst()
                .orElse(Errors.NONE);
    }

    private static OffsetCommitResponseData ofOnePartition() {
        OffsetCommitResponseTopic topic = new OffsetCommitResponseTopic().setName("orders");
        topic.partitions().add(new OffsetCommitResponsePartition());
        OffsetCommitResponseData one = new OffsetCommitResponseData();
        one.topics().add(topic);
        return one;
    }

    @Test
    void response_thatIsCutOff_isRefused() {
        ByteBuffer bytes = MessageUtil.toByteBufferAccessor(ofOnePartition(), DirectCommit.MEMBER_VERSION)
                .buffer();
        for (int length = 0; length < bytes.limit(); length++) {
            ByteBuffer cut = bytes.slice(0, length);
            assertThatRuntimeException()
                    .isThrownBy(() -> response.read(new ByteBufferAccessor(cut), DirectCommit.MEMBER_VERSION));
        }
    }

    @Test
    void response_withoutAListOfTopics_isRefused() {
        ByteBuffer bytes = ByteBuffer.allocate(16);
        assertThatRuntimeException()
                .isThrownBy(() -> response.read(new ByteBufferAccessor(bytes), DirectCommit.MEMBER_VERSION));
    }

    @Test
    void reading_allocatesNothing() {
        ByteBufferAccessor in = MessageUtil.toByteBufferAccessor(ofOnePartition(), DirectCommit.MEMBER_VERSION);
        assertThat(errors(in)).isZero(); // loads the classes
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        int errors = errors(in);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(errors).isZero();
        assertThat(allocated).isLessThanOrEqualTo(2_000);
    }

    private int errors(ByteBufferAccessor in) {
        int errors = 0;
        for (int i = 0; i < RESPONSES; i++) {
            in.buffer().rewind();
            response.read(in, DirectCommit.MEMBER_VERSION);
            errors += response.error() == Errors.NONE ? 0 : 1;
        }
        return errors;
    }
}
