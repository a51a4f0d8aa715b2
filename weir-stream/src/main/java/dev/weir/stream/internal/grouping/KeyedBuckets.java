package dev.weir.stream.internal.grouping;

import java.util.Iterator;
import java.util.LinkedHashMap;

/** Token buckets by key. Full buckets are not stored, because they equal new buckets. Confined to one thread. */
final class KeyedBuckets {

    // Ordered by last access, oldest first. A bucket fills up within a fixed time, so full buckets are at the front.
    private final LinkedHashMap<Object, TokenBucket> buckets = new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true);
    private final TokenBucket pattern;

    /** Creates an empty store. New buckets are copies of {@code pattern}. */
    KeyedBuckets(TokenBucket pattern) {
        this.pattern = pattern;
    }

    TokenBucket of(Object key, long nowNanos) {
        TokenBucket bucket = buckets.get(key);
        if (bucket == null) {
            bucket = pattern.another(nowNanos);
            buckets.put(key, bucket);
        }
        return bucket;
    }

    /** Records an access to a key when one of its held elements is released. */
    void touch(Object key) {
        TokenBucket ignored = buckets.get(key);
    }

    /** Removes the keys whose buckets are full. */
    void forgetFull(long nowNanos) {
        Iterator<TokenBucket> longestUntouched = buckets.values().iterator();
        while (longestUntouched.hasNext() && longestUntouched.next().isFull(nowNanos)) {
            longestUntouched.remove();
        }
    }

    int size() {
        return buckets.size();
    }
}
