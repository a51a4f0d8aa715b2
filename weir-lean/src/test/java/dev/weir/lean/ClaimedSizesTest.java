package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests responses that announce a larger size than the broker sends. */
@Timeout(60)
class ClaimedSizesTest {

    private static final int CLAIMED_BYTES = 60 * 1024 * 1024;
    private static final int SENT_BYTES = 300_000;

    private final FakeLog log = new FakeLog();
    private final AtomicBoolean sent = new AtomicBoolean();

    /**
     * Serves one connection. Each fetch response announces {@link #CLAIMED_BYTES} but has only {@link #SENT_BYTES}. Its
     * correlation id is too large by {@code correlationsLater}.
     */
    private void serve(ServerSocket server, int correlationsLater) {
        try (Socket socket = server.accept()) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            while (true) {
                RequestHeader header = RequestHeader.parse(ByteBuffer.wrap(in.readNBytes(in.readInt())));
                if (header.apiKey() == ApiKeys.API_VERSIONS) {
                    ByteBuffer bytes = RequestUtils.serialize(
                            new ResponseHeaderData().setCorrelationId(header.correlationId()),
                            header.apiKey().responseHeaderVersion(header.apiVersion()),
                            FakeBroker.versions(),
                            header.apiVersion());
                    out.writeInt(bytes.remaining());
                    out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
                } else {
                    out.writeInt(CLAIMED_BYTES);
                    out.writeInt(header.correlationId() + correlationsLater);
                    out.write(new byte[SENT_BYTES]);
                    sent.set(true);
                }
                out.flush();
            }
        } catch (IOException ended) {
            // The consumer has closed.
        }
    }

    private static long direct() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    @Test
    void answer_toWhatWasNotAsked_failsNamingTheBroker() throws Exception {
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve);
                ServerSocket liar = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                LeanConsumer consumer = LeanConsumer.open(LeanSettings.builder()
                        .bootstrapServers(broker.address())
                        .build())) {
            broker.leader(liar.getLocalPort());
            Thread.ofPlatform().daemon().start(() -> serve(liar, 5));
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            assertThatExceptionOfType(LeanException.class)
                    .isThrownBy(() -> FakeLog.pollUntil(consumer, record -> {}, () -> false))
                    .withMessageContaining(":" + liar.getLocalPort() + " sent an answer to request ")
                    .withMessageContaining("not Kafka's protocol");
        }
    }

    /** Regression: memory of the announced size was allocated before any bytes arrived. */
    @Test
    void size_thatIsOnlyClaimed_takesNoMemory() throws Exception {
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve);
                ServerSocket liar = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                LeanConsumer consumer = LeanConsumer.open(LeanSettings.builder()
                        .bootstrapServers(broker.address())
                        .build())) {
            broker.leader(liar.getLocalPort());
            Thread.ofPlatform().daemon().start(() -> serve(liar, 0));
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            long before = direct();
            FakeLog.pollUntil(consumer, record -> {}, sent::get);
            int polls = 0;
            while (consumer.poll(record -> {}) > 0 || polls < 1_000) {
                polls++;
            }
            assertThat(direct() - before).isLessThan(8 * SENT_BYTES);
        }
    }
}
