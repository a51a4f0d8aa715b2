package dev.weir.cli.tune;

import dev.weir.examples.asimov.AsimovSteps;
import dev.weir.examples.asimov.AsimovTranslator;
import dev.weir.examples.asimov.Locating;
import dev.weir.examples.asimov.Parsing;
import dev.weir.examples.asimov.Translation;
import dev.weir.examples.asimov.Unpacking;
import dev.weir.examples.asimov.naive.NaiveSteps;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Some steps naive, the others as they are today. Thread-safe. */
final class MixedSteps implements AsimovSteps {
    static final AsimovSteps NAIVE = new NaiveSteps();
    static final AsimovSteps TODAY = new AsimovTranslator();

    private final AsimovSteps json;
    private final AsimovSteps url;
    private final AsimovSteps payload;

    MixedSteps(Set<Step> naive) {
        this.json = naive.contains(Step.JSON) ? NAIVE : TODAY;
        this.url = naive.contains(Step.URL) ? NAIVE : TODAY;
        this.payload = naive.contains(Step.LZ) ? NAIVE : TODAY;
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
