// What `pushrig init relay` writes: one call of each kind, with comments that say what to change.

enum StarterFiles {
    static func profile(_ name: String) -> String {
        """
        # How PushRig speaks to \(name), and which pushes it owes for each call. Every key: docs/scenarios.md, The profile.
        # Change the paths and bodies, strike the calls that your relay does not have, and keep `{{marker}}` in a text that
        # it passes on: by that PushRig finds a push again.

        name: "\(name)"
        topic: com.example.app            # your app's bundle identifier
        http: 1

        # How long after a call its push may come.
        deadlines: { default: 5s }
        # How much longer it may take behind a 429 or 5xx of APNs, before it is sent again. Apple allows 15 minutes, which is
        # the default: then no short run can tell a relay that rests from one that gives up. Where it is more than some ten
        # seconds, `check` asks what it asks about those answers with --slow, or by a clock that the relay shares.
        rest: 10s

        # From whom a call comes; the secret itself stays out of files (docs/adding-a-relay.md, Your relay wants a signature).
        # auth: { bearer: { env: RELAY_KEY } }

        # A throttle: one push for each activity and window, the newest state last. Then such pushes say `coalesce: true`.
        # coalescing: { window: 10s }

        # Where a message to FCM says what becomes of a Live Update; then `pushes` owe `{ channel: fcm, event: update }`, and
        # `check` asks FCM what it asks APNs (docs/check.md).
        # messageEvent: /message/data/event

        # What arrives as it was said: a place in the push, and where it comes from in the call.
        passes:
          - { channel: alert, at: /aps/alert/title, from: /title }
          - { channel: alert, at: /aps/alert/body, from: /text }
          - { channel: liveactivity, at: /aps/content-state/text, from: /text }

        # What the app decodes from (docs/schemas.md); `pushrig schema from App.swift` writes it.
        # schemas: { contentState: ../schemas/\(name).content-state.json }

        # What your relay is known to break, by rule (`pushrig list rules`): green until it heals, and then to be struck.
        # knownFailing: [retry-keeps-apns-id]

        calls:
          # The app tells its device token.
          registerDevice:
            path: /devices
            json: { user: "{{secret}}", token: "{{deviceToken}}" }
            expect: [200, 201]
            registers: [deviceToken]

          # It tells the update token of a live activity that it has begun.
          registerActivity:
            path: /activities/{{sessionID}}
            json: { user: "{{secret}}", token: "{{activityToken}}" }
            expect: [200, 201]
            registers: [activityToken]

          # An Android app tells its registration; what is owed to it is `{ channel: fcm }` among the `pushes` below.
          # registerAndroid:
          #   path: /devices
          #   json: { user: "{{secret}}", token: "{{registrationToken}}", platform: android }
          #   expect: [200, 201]
          #   registers: [registrationToken]

          # A server tells an event: an alert, and a new state of the card.
          update:
            path: /events
            variables: { title: Building, text: \"Half way \u{2013} é 🚀 + & %\" }      # a session may say others
            json:
              user: "{{secret}}"
              session: "{{sessionID}}"
              event: update
              title: "{{title}}"
              text: "{{marker}} {{text}}"
            pushes:
              - { channel: alert }
              - { channel: liveactivity, event: update }

          # The last one ends the card. An end without a text of the call's is `marked: false`: what it shows is compared with
          # nothing then, unless the card's values stand under `carries`.
          end:
            path: /events
            final: true
            unregisters: [activityToken]
            variables: { title: Done, text: All tests pass }
            json: { user: "{{secret}}", session: "{{sessionID}}", event: end, title: "{{title}}", text: "{{marker}} {{text}}" }
            pushes:
              - { channel: alert }
              - { channel: liveactivity, event: end }

          # Nobody has registered this user: to be answered, and to reach nobody.
          stranger:
            path: /events
            unknown: true
            json: { user: "nobody-{{secret}}", session: "{{sessionID}}", event: update, title: Hi, text: "{{marker}}" }

          # To be refused.
          badRequest:
            path: /events
            expect: [400, 422]
            json: { user: "{{secret}}" }

        """
    }

    static func session(_ name: String) -> String {
        """
        # What one session of \(name) does, step by step. Every key: docs/scenarios.md, The session script.

        name: "\(name)"
        parameters:
          pause: { uniform: [500ms, 1s] }

        steps:
          - { call: registerDevice }
          - { call: registerActivity, after: 200ms }
          - call: update
            every: $pause
            count: 4
            with: { text: [Compiling, "Größe & 🚀 + %", "Running the tests"] }
          - { call: stranger, after: 100ms }
          - { call: badRequest, after: 100ms }
          - { call: end, after: $pause }

        """
    }

    static func scenario(_ name: String) -> String {
        """
        # A small run against \(name). Every key: docs/scenarios.md, The scenario.

        name: "\(name)"
        latenessBudget: 100ms

        relay:
          profile: relays/\(name).yaml
          # Its command, or `url: http://127.0.0.1:8787` and no `launch` for one that runs already (docs/staging.md). A file of
          # its own goes into the run's directory, so that each run begins anew: `--storage "{{run.dir}}/relay.sqlite"`.
          launch: [./my-relay, --port, "{{relay.port}}"]
          # Its own names of these settings. A relay that has Apple's hosts in its code: `pushrig exec`.
          environment:
            APNS_URL: https://{{mock.apns}}
            APNS_CA_FILE: "{{mock.ca}}"
            APNS_KEY_FILE: "{{mock.key}}"
            APNS_KEY_ID: "{{mock.keyId}}"
            APNS_TEAM_ID: "{{mock.teamId}}"
            APNS_TOPIC: "{{mock.topic}}"
            # FCM_URL: https://{{mock.fcm}}                                # where it pushes to Android, too
            # GOOGLE_APPLICATION_CREDENTIALS: "{{mock.serviceAccount}}"    # and docs/fcm-clients.md
          ready: { path: /health, timeout: 15s }        # answers GET with 2xx when it is up

        workload:
          arrivals:
            - { rate: 5, for: 2s }
          maxSessions: 10
          scripts:
            - { script: sessions/\(name).yaml }

        # What goes wrong at Apple: `pushrig list faults`.
        faults:
          - id: busy
            at: 2s
            match: { fraction: 0.1 }
            action: { respond: { reason: TooManyRequests } }
            times: 2

        phases:
          drain: 16s                      # longer than the profile's deadlines and its rest together

        gates:
          - lost == 0

        # A run that puts one of these not to the test is inconclusive.
        exercises: [accepted-is-pushed, states-delivered, content-unchanged, nothing-unexpected]

        """
    }
}
