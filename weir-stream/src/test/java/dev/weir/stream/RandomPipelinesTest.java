package dev.weir.stream;

import org.junit.jupiter.api.Test;

/**
 * Random pipelines of all kinds of operators, by seed, to random endings, against a model in plain Java. More:
 * {@code -Dweir.fuzz.seeds=100000 -Dweir.fuzz.from=0}.
 */
class RandomPipelinesTest {

    private static final int SEEDS = Integer.getInteger("weir.fuzz.seeds", 300);
    private static final int FROM = Integer.getInteger("weir.fuzz.from", 0);

    @Test
    void pipeline_ofAnyOperators_doesAsTheModelAndFinishesEachInputInTime() throws Exception {
        for (int seed = FROM; seed < FROM + SEEDS; seed++) {
            new LinkedRun(seed).run();
            if (seed % 100 == 99) {
                ThreadCensus.assertNoneLeft("fuzz");
            }
        }
    }
}
