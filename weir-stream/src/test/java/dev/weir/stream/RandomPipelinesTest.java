package dev.weir.stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Compares random pipelines with a model in plain Java. A seed determines the pipeline and its ending. More seeds:
 * {@code -Dweir.fuzz.seeds=100000 -Dweir.fuzz.from=0}.
 */
class RandomPipelinesTest {

    private static final int SEEDS = Integer.getInteger("weir.fuzz.seeds", 500);
    private static final int FROM = Integer.getInteger("weir.fuzz.from", 0);

    /** Every build runs the seeds below this one. The long test runs further seeds, up to {@link #ALL}. */
    private static final int FURTHER = 500;

    private static final int ALL = 60_000;

    @Test
    void pipeline_ofAnyOperators_doesAsTheModelAndFinishesEachInputInTime() throws Exception {
        run(FROM, FROM + SEEDS, false);
    }

    @Test
    void pipeline_ofOperatorsThatKeepEverything_finishesOnlyWhatReachedTheSink() throws Exception {
        run(FROM, FROM + SEEDS, true);
    }

    @Test
    @Tag("long")
    @Timeout(900)
    void furtherPipelines_ofAnyOperators_doAsTheModelAndFinishEachInputInTime() throws Exception {
        run(FURTHER, ALL, false);
        run(FURTHER, ALL / 6, true);
    }

    private static void run(int from, int to, boolean keeping) throws Exception {
        for (int seed = from; seed < to; seed++) {
            new LinkedRun(seed, keeping).run();
            if (seed % 100 == 99) {
                ThreadCensus.assertNoneLeft("fuzz");
            }
        }
    }
}
