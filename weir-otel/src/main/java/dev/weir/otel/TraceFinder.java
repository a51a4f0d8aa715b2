package dev.weir.otel;

import dev.weir.stream.spi.AckTarget;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Finds the traces of what an element came of, through the claims on it. Confined to one thread. */
final class TraceFinder implements AckTarget.RootVisitor {

    private final Set<Place> places = new LinkedHashSet<>();

    /** The places of the traces, each once. Only for a claim that the caller holds. */
    List<Place> of(AckTarget target, long token) {
        places.clear();
        target.roots(token, this);
        return List.copyOf(places);
    }

    void found(Place place) {
        places.add(place);
    }

    /** An element of a source that is not traced. */
    @Override
    public void root(AckTarget source, long token) {}
}
