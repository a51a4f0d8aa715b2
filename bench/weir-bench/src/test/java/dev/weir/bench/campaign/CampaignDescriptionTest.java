package dev.weir.bench.campaign;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Environment;
import dev.weir.bench.result.Point;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CampaignDescriptionTest {

    @Test
    void resumedWithOtherValues_isRefused() {
        Campaign begun = begun(Map.of("topic.valueFile.digest", "0a1b"));
        CampaignDescription.requireSameValues(begun, "0a1b");
        assertThatThrownBy(() -> CampaignDescription.requireSameValues(begun, "0a1c"))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("topic.valueFile holds other values");
        CampaignDescription.requireSameValues(begun(Map.of()), "");
    }

    private static Campaign begun(Map<String, String> settings) {
        return new Campaign(
                "id",
                "name",
                "",
                "plain",
                null,
                2,
                1,
                List.of(new Driver("plain", "1", Map.of())),
                List.of(new Point("consume", "consume", Map.of())),
                new Environment("", "", "", 2, 1, Map.of(), settings, "", 0));
    }
}
