package dev.weir.kafka.internal.share.member;

import static dev.weir.kafka.internal.share.member.ShareClientStub.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadyRecordsTest {
    private final ReadyRecords ready = new ReadyRecords(Clock.SYSTEM);

    /** A slow record may keep the pipeline waiting for as long as it likes, and that is when the limiter is asked. */
    @Test
    void waitThatGoesOn_counts() throws Exception {
        assertThat(ready.starvedNanos()).isZero();
        Thread pipeline = Thread.ofVirtual().start(() -> {
            try {
                assertThat(ready.take(Stage.NEVER, new StageMeter())).isNull();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        until(() -> assertThat(ready.starvedNanos()).isPositive());
        ready.end();
        pipeline.join();
        long over = ready.starvedNanos();
        assertThat(over).isPositive();
        assertThat(ready.starvedNanos()).isEqualTo(over);
    }
}
