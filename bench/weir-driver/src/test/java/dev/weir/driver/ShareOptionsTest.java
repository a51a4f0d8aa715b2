package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ShareOptionsTest {

    @Test
    void consumers_areOneForEachWorker_unlessSaid() {
        assertThat(ShareOptions.consumers(Map.of(), 1000)).isEqualTo(1000);
        assertThat(ShareOptions.consumers(Map.of(ShareOptions.CONSUMERS, "20"), 2000))
                .isEqualTo(20);
    }

    @Test
    void moreConsumersThanAGroupTakes_areRefused_withTheWayOut() {
        assertThatThrownBy(() -> ShareOptions.consumers(Map.of(ShareOptions.CONSUMERS, "0"), 1001))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("one share consumer for each worker makes 1001, where a group takes 1000:"
                        + " set options.share.consumers to that or less");
    }
}
