package dev.weir.kafka.internal.in.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A member that may not commit beside its client. */
class DirectCommitTest {

    private static final long WITHIN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final Map<TopicPartition, OffsetAndMetadata> OFFSETS =
            Map.of(new TopicPartition("t", 0), new OffsetAndMetadata(1));

    /** It says so at once. A group without members takes a commit without a generation from anybody. */
    @ParameterizedTest
    @SuppressWarnings("removal") // the client gives one out to members of a group only
    @CsvSource({"-1, member", "3, ''"})
    void memberWithoutAGenerationOrAnId_connectsToNobody(int generation, String id) throws IOException {
        try (ServerSocketChannel broker = ServerSocketChannel.open()) {
            broker.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            broker.configureBlocking(false);
            DirectCommit commit = new DirectCommit(
                    new Member(new ConsumerGroupMetadata("g", generation, id, Optional.empty())),
                    Map.of("bootstrap.servers", "127.0.0.1:" + broker.socket().getLocalPort()),
                    false);
            assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isFalse();
            try (var connection = broker.accept()) {
                assertThat(connection).isNull();
            }
        }
    }

    private static final class Member extends MockConsumer<byte[], byte[]> {

        private final ConsumerGroupMetadata member;

        Member(ConsumerGroupMetadata member) {
            super("earliest");
            this.member = member;
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
        public ConsumerGroupMetadata groupMetadata() {
            return member;
        }
    }
}
