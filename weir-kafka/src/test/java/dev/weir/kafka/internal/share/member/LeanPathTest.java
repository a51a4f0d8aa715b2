package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ShareSettings;
import dev.weir.lean.spi.BrokerNetwork;
import dev.weir.lean.spi.BrokerNetworks;
import dev.weir.simulation.Brokers;
import dev.weir.simulation.Network.ClientProcess;
import dev.weir.simulation.Topics.Partition;
import dev.weir.stream.spi.Clock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests the end of a member, with simulated brokers and time. Broker 1 is the coordinator, and broker 2 leads the only
 * partition. Nobody takes records.
 */
@Timeout(60)
class LeanPathTest {

    private static final long MILLI = 1_000_000;
    private static final int LEADER = 2;

    private final Random random = new Random(7);
    private final Brokers brokers = new Brokers(random, LEADER);
    private final Partition partition =
            brokers.topics().create("orders", 1).partitions().getFirst();
    private final ClientProcess process = brokers.network().process("member");
    private final String address =
            brokers.network().host() + ":1," + brokers.network().host() + ":2";
    private final ReadyRecords ready = new ReadyRecords(Clock.SYSTEM);
    private final List<Byte> acknowledged = new ArrayList<>();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    /** Reaches 0 when the test closes the path. */
    private final CountDownLatch ends = new CountDownLatch(1);

    // Used only by the path's thread once it has started.
    private BooleanSupplier endsWhen = () -> false;
    private boolean leaderIsSilent;

    @BeforeEach
    void lead() {
        partition.moveTo(LEADER);
        brokers.shareGroup().observe((member, number, offset, type) -> acknowledged.add(type));
    }

    @AfterEach
    void close() {
        brokers.close();
    }

    /** The member's network and clock. At the chosen moment, the path's thread waits until the path is closed. */
    private final class SimulatedNetwork implements BrokerNetwork {

        @Override
        public ByteChannel connect(InetSocketAddress to, Runnable whenReady) throws IOException {
            ByteChannel channel = process.connect(to, whenReady);
            return to.getPort() == LEADER ? new LeaderChannel(channel) : channel;
        }

        @Override
        public void await(long millis) {
            brokers.schedule().advance(millis * MILLI);
            process.tellReady();
            if (ends.getCount() > 0 && endsWhen.getAsBoolean()) {
                ends.countDown();
                while (!ready.isEnded()) {
                    Thread.onSpinWait();
                }
            }
        }

        @Override
        public void wakeup() {}

        @Override
        public long nanoTime() {
            return brokers.schedule().now();
        }

        @Override
        public long nextSeed() {
            return random.nextLong();
        }
    }

    /** A connection to the leader. It carries nothing while the leader is silent. */
    private final class LeaderChannel implements ByteChannel {

        private final ByteChannel channel;

        LeaderChannel(ByteChannel channel) {
            this.channel = channel;
        }

        @Override
        public int read(ByteBuffer to) throws IOException {
            return leaderIsSilent ? 0 : channel.read(to);
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            return channel.write(from);
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /** Runs a member until the chosen moment, and closes it. Returns the number of unfinished records. */
    private int runUntil(BooleanSupplier moment) throws Exception {
        endsWhen = moment;
        Map<String, Object> config = Map.of("bootstrap.servers", address, "group.id", "group");
        var setup = new SharePath.Setup(
                "test",
                config,
                List.of("orders"),
                () -> ShareClientStub.group(1, true),
                ready,
                new ShareCounters(),
                null,
                () -> {},
                failure::complete);
        ShareSettings<byte[], byte[]> settings = ShareSettings.builder()
                .bootstrapServers(address)
                .groupId("group")
                .build();
        BrokerNetworks.put(address, new SimulatedNetwork());
        LeanPath path;
        try {
            path = new LeanPath(setup, settings);
        } finally {
            BrokerNetworks.remove(address);
        }
        path.start(path.first(4, 1));
        assertThat(ends.await(50, TimeUnit.SECONDS)).as(failure.toString()).isTrue();
        int unfinished = path.close(Duration.ZERO);
        assertThat(failure).isNotDone();
        return unfinished;
    }

    /** Regression: the member left its group 10 seconds late. */
    @Test
    void recordsInTheirLastDelivery_thatArriveAfterTheEnd_areGivenBack() throws Exception {
        partition.log().append(List.of(new byte[1], new byte[1], new byte[1]));
        long[] ended = new long[1];
        int unfinished = runUntil(() -> {
            ended[0] = brokers.schedule().now();
            return brokers.shareGroup().of(partition).acquired() > 0 && ready.size() == 0;
        });
        assertThat(unfinished).isEqualTo(3);
        assertThat(acknowledged).hasSize(3).containsOnly(AcknowledgeType.RELEASE.id);
        assertThat(brokers.shareGroup().hasSessions()).isFalse();
        assertThat(brokers.shareGroup().hasMembers()).isFalse();
        assertThat(brokers.schedule().now() - ended[0]).as("simulated time").isLessThan(1_000 * MILLI);
    }

    /** Regression: a member of a silent broker did not leave its group. */
    @Test
    void memberOfASilentBroker_leavesItsGroup() throws Exception {
        int unfinished = runUntil(() -> {
            leaderIsSilent = brokers.shareGroup().emptyFetches() > 0;
            return leaderIsSilent;
        });
        assertThat(unfinished).isZero();
        assertThat(brokers.shareGroup().hasMembers()).isFalse();
    }
}
