package dev.weir.cli.tune;

import dev.weir.examples.asimov.AsimovSteps;
import dev.weir.examples.asimov.AsimovTranslator;
import dev.weir.examples.asimov.Locating;
import dev.weir.examples.asimov.Parsing;
import dev.weir.examples.asimov.Translation;
import dev.weir.examples.asimov.Unpacking;
import dev.weir.examples.asimov.naive.NaiveSteps;
import org.jspecify.annotations.Nullable;

/** Steps whose code can be replaced while they run. All start with naive code. Thread-safe. */
final class MixedSteps implements AsimovSteps {

    private static final AsimovSteps NAIVE = new NaiveSteps();
    private static final AsimovSteps TODAY = new AsimovTranslator();

    private volatile AsimovSteps json = NAIVE;
    private volatile AsimovSteps url = NAIVE;
    private volatile AsimovSteps payload = NAIVE;

    /**
     * Selects the code that a step uses from the next event on.
     *
     * @param today true for the step's current code, false for its naive code
     */
    void use(Step step, boolean today) {
        AsimovSteps steps = today ? TODAY : NAIVE;
        switch (step) {
            case JSON -> json = steps;
            case URL -> url = steps;
            case LZ -> payload = steps;
        }
    }

    @Override
    public Parsing parseJson(byte @Nullable [] value) {
        return json.parseJson(value);
    }

    @Override
    public Locating parseUrl(Parsing parsing) {
        return url.parseUrl(parsing);
    }

    @Override
    public Unpacking decompress(Locating locating) {
        return payload.decompress(locating);
    }

    @Override
    public Translation encode(Unpacking unpacking) {
        return TODAY.encode(unpacking);
    }
}
